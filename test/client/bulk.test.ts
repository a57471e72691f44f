import { describe, expect, it } from 'vitest';
import type { InsertProgress } from '../../src/client/index.js';
import type { Clock } from '../../src/engine.js';
import { BacklogClient, InsertInterruptedError, type NewRecord } from '../../src/index.js';
import { NOW } from '../store/records.js';
import { type Behaviour, startStatementsServer } from './statements-server.js';

/** Backing off takes no time. */
const clock: Clock = {
  now: () => NOW,
  wall: () => NOW,
  sleep: () => new Promise((resolve) => setImmediate(resolve)),
};

async function open(behaviour: Behaviour = {}) {
  const server = await startStatementsServer(behaviour);
  const backlog = new BacklogClient({ table: 'records', client: server.client, clock });
  return { server, backlog, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const records = (count: number, from = 0): NewRecord[] =>
  Array.from({ length: count }, (_, i) => ({ id: `r-${from + i}`, payload: { n: i } }));

describe('inserting many records in few requests', () => {
  it('takes one request for 25, and stores them as single ones are stored', async () => {
    await using one = await open();
    await using other = await open();
    const source = records(60).map((record) => ({ ...record, queue: 'q', attributes: { "it's": 'own' } }));
    expect(await one.backlog.insertMany(source)).toEqual({ inserted: 60, duplicates: [], failed: [] });
    expect(one.server.requests.map(({ statements }) => statements)).toEqual([25, 25, 10]);
    for (const record of source) await other.backlog.insert(record);
    const withoutRev = (items: typeof one.server.items) =>
      new Map([...items].map(([id, { rev: _, ...item }]) => [id, item]));
    expect(withoutRev(one.server.items)).toEqual(withoutRev(other.server.items));
  });

  it('inserts 400 with one in forty there already and one statement in ten throttled', async () => {
    let turn = 0;
    await using it = await open({ verdict: () => (turn++ % 10 === 0 ? 'ThrottlingError' : 'ok') });
    const there = records(400).filter((_, i) => i % 40 === 0);
    await it.backlog.insertMany(there);
    const before = new Map(it.server.items);
    const progress: InsertProgress[] = [];
    const onProgress = (counts: InsertProgress) => void progress.push(counts);
    const result = await it.backlog.insertMany(records(400), { onProgress });
    expect(result).toMatchObject({ inserted: 390, failed: [] });
    expect(result.duplicates.toSorted()).toEqual(there.map(({ id }) => id).toSorted());
    expect(it.server.items.size).toBe(400);
    for (const [id, item] of before) expect(it.server.items.get(id)).toBe(item);
    expect(progress).toHaveLength(400);
    expect(progress.at(-1)).toEqual({ inserted: 390, duplicates: 10, failed: 0 });
    expect(it.server.requests.length).toBeLessThan(75);
    expect(it.server.most()).toBeLessThanOrEqual(4);
    // Of those that were left over alone, and are put as single ones are.
    expect(it.server.count('GetItem')).toBeLessThan(10);
  });

  it('can be ended anywhere and begun again with the same ids', async () => {
    let refusing = false;
    await using it = await open({ refuse: () => (refusing ? 'ResourceNotFoundException' : undefined) });
    let taken = 0;
    function* source() {
      for (const record of records(200)) {
        if (++taken === 100) refusing = true;
        yield record;
      }
    }
    const error = await it.backlog.insertMany(source()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InsertInterruptedError);
    const { inserted } = (error as InsertInterruptedError).result;
    expect(inserted).toBe(it.server.items.size);
    expect(taken).toBeLessThan(200);
    refusing = false;
    const again = await it.backlog.insertMany(records(200));
    expect([again.inserted, again.duplicates.length]).toEqual([200 - inserted, inserted]);
  });

  it('ends at its signal with what is under way, and says which records have no result', async () => {
    const abort = new AbortController();
    await using it = await open();
    const onProgress = ({ inserted }: InsertProgress) => {
      if (inserted === 120) abort.abort();
    };
    const { signal } = abort;
    const error = await it.backlog
      .insertMany(records(400), { onProgress, signal })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InsertInterruptedError);
    const { result, unsettled, taken } = error as InsertInterruptedError;
    expect(result.inserted).toBe(it.server.items.size);
    expect(taken - unsettled.length).toBe(result.inserted);
    expect(taken).toBeLessThan(400);
    expect(unsettled.length).toBeGreaterThan(0);
    expect(unsettled.filter((index) => it.server.items.has(`r-${index}`))).toEqual([]);
  });

  it('knows its own record again when the answer told nothing, and takes another’s for a duplicate', async () => {
    const met = new Set<string>();
    const verdict = (id: string) => {
      if (met.has(id)) return 'ok';
      met.add(id);
      return 'late';
    };
    await using it = await open({ verdict });
    await it.backlog.insert({ id: 'r-3', payload: 'another' });
    const result = await it.backlog.insertMany(records(5));
    expect(result).toMatchObject({ inserted: 4, duplicates: ['r-3'] });
  });

  it('knows its own records again when the SDK has repeated a request', async () => {
    let refused = 0;
    const refuse = (operation: string) =>
      operation === 'BatchExecuteStatement' && refused++ === 0 ? 'lost' : undefined;
    await using it = await open({ refuse });
    await it.backlog.insert({ id: 'r-7', payload: 'another' });
    expect(await it.backlog.insertMany(records(20))).toMatchObject({ inserted: 19, duplicates: ['r-7'] });
  });

  it('puts one id at most into a request, and the first of them wins', async () => {
    await using it = await open();
    const source = ['a', 'b', 'a', 'a'].map((id, i) => ({ id, payload: i }));
    expect(await it.backlog.insertMany(source)).toMatchObject({ inserted: 2, duplicates: ['a', 'a'] });
    expect(it.server.items.get('a')).toMatchObject({ payload: { N: '0' } });
    expect(it.server.requests[0]).toMatchObject({ operation: 'BatchExecuteStatement', statements: 2 });
  });

  it('keeps requests below 1 MB, however large the items are', async () => {
    await using it = await open();
    const source = Array.from({ length: 25 }, (_, i) => ({ id: `r-${i}`, payload: 'x'.repeat(300_000) }));
    expect(await it.backlog.insertMany(source)).toMatchObject({ inserted: 25 });
    expect(Math.max(...it.server.requests.map(({ bytes }) => bytes))).toBeLessThan(1_100_000);
  });

  it('puts an item with more names than a statement takes by itself', async () => {
    await using it = await open();
    const attributes = Object.fromEntries(
      Array.from({ length: 600 }, (_, i) => [`attribute-number-${i}`, i]),
    );
    expect(await it.backlog.insertMany([{ payload: 1, attributes }, { payload: 2 }])).toMatchObject({
      inserted: 2,
    });
  });

  it('reports those that cannot be stored by their index, and inserts the others', async () => {
    await using it = await open({ verdict: (id) => (id === 'r-4' ? 'ValidationError' : 'ok') });
    const source: unknown[] = records(8);
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    source[1] = { id: 'date', payload: new Date(0) };
    source[2] = { id: 'cyclic', payload: cyclic };
    source[3] = { id: 'large', payload: 'x'.repeat(410_000) };
    source[5] = null;
    source[6] = { id: 'bigint', payload: 10n ** 40n + 1n };
    const result = await it.backlog.insertMany(source as NewRecord[]);
    // DynamoDB had something against the statement, and nothing against the item.
    expect(result).toMatchObject({ inserted: 3, duplicates: [] });
    expect(it.server.items.has('r-4')).toBe(true);
    expect(result.failed.map(({ index, id }) => [index, id])).toEqual([
      [1, 'date'],
      [2, 'cyclic'],
      [3, 'large'],
      [5, undefined],
      [6, 'bigint'],
    ]);
  });

  it.each([
    [
      'is not known',
      { refuse: (operation: string) => (operation[0] === 'B' ? 'UnknownOperationException' : undefined) },
      1,
    ],
    [
      'is not allowed',
      { refuse: (operation: string) => (operation[0] === 'B' ? 'AccessDeniedException' : undefined) },
      1,
    ],
    ['is not allowed for any statement', { verdict: () => 'AccessDenied' }, 1],
    [
      'makes no sense, again and again',
      { refuse: (operation: string) => (operation[0] === 'B' ? 'ValidationException' : undefined) },
      3,
    ],
  ])('where PartiQL %s, puts each by itself from then on', async (_, behaviour, tries) => {
    await using it = await open(behaviour);
    expect(await it.backlog.insertMany(records(100), { concurrency: 25 })).toMatchObject({ inserted: 100 });
    await it.backlog.insertMany(records(50, 100));
    expect(it.server.count('BatchExecuteStatement')).toBe(tries);
    expect(it.server.count('PutItem')).toBe(150);
  });

  it('goes on with few requests after an invalid one, once others have', async () => {
    await using it = await open({
      refuse: (_, request) => (request === 2 ? 'ValidationException' : undefined),
    });
    expect(await it.backlog.insertMany(records(200), { concurrency: 25 })).toMatchObject({ inserted: 200 });
    expect(it.server.count('BatchExecuteStatement')).toBe(8);
    expect(it.server.count('PutItem')).toBe(25);
  });

  it('asks for an id outside of its rights by itself, which says what is wrong', async () => {
    const refuse = (operation: string) => (operation === 'PutItem' ? 'AccessDeniedException' : undefined);
    await using it = await open({ verdict: (id) => (id === 'r-3' ? 'AccessDenied' : 'ok'), refuse });
    const error = await it.backlog.insertMany(records(10)).catch((thrown: Error) => thrown);
    expect((error as Error).message).toMatch(/stopped after 9 inserted.*access denied/);
  });

  it('ends when it is throttled all the time, and says what was inserted', async () => {
    await using it = await open({ verdict: (id) => (Number(id.slice(2)) < 30 ? 'ok' : 'ThrottlingError') });
    const error = await it.backlog.insertMany(records(400)).catch((thrown: unknown) => thrown);
    expect((error as InsertInterruptedError).result.inserted).toBe(30);
    expect((error as Error).message).toMatch(/ThrottlingError/);
  });

  it('does not keep what has come waiting for a source that gives one now and one then', async () => {
    await using it = await open();
    const patient = new BacklogClient({ table: 'records', client: it.server.client });
    async function* source() {
      yield { id: 'first', payload: 1 };
      while (!it.server.items.has('first')) await new Promise((resolve) => setTimeout(resolve, 10));
      yield { id: 'second', payload: 2 };
    }
    expect(await patient.insertMany(source())).toMatchObject({ inserted: 2 });
  });

  it('reads no further ahead of a million records than it has under way', async () => {
    let taken = 0;
    let ahead = 0;
    await using it = await open({ latencyMs: 1 });
    function* source() {
      for (let i = 0; i < 500; i++) {
        ahead = Math.max(ahead, ++taken - it.server.items.size);
        yield { id: `r-${i}`, payload: i };
      }
    }
    await it.backlog.insertMany(source());
    expect(ahead).toBeLessThanOrEqual(100 + 25 + 25);
  });

  it.each([[7], ['text'], [null], [{ payload: 1 }]])('refuses %j as a source', async (source) => {
    await using it = await open();
    await expect(it.backlog.insertMany(source as never)).rejects.toThrow('insertMany: expected an array');
  });
});
