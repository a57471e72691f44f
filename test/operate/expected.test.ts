import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BacklogOperator } from '../../src/operate/index.js';
import type { Item } from '../../src/record/index.js';
import { MemoryStore, type OperatorStore } from '../../src/store/index.js';
import { clock, dynamoDbUnderTest } from '../store/dynamodb-under-test.js';
import { NOW } from '../store/records.js';
import { startDynamoDb } from '../store/start-dynamodb.js';
import { interrupted } from './support.js';

interface Place {
  readonly store: OperatorStore;
  put(item: Item): Promise<void>;
  raw(id: string): Promise<Item | undefined>;
}

const at = (ms: number) => new Date(NOW + ms).toISOString();
let inMemory: Place;
let onDynamoDb: Awaited<ReturnType<typeof dynamoDbUnderTest>>;
let dynamoDb: Awaited<ReturnType<typeof startDynamoDb>>;
let records = 0;

beforeAll(async () => {
  const store = new MemoryStore({ clock });
  inMemory = {
    store,
    put: async (item) => store.put(item),
    raw: async (id) => store.items().find((item) => item.id === id),
  };
  dynamoDb = await startDynamoDb();
  onDynamoDb = await dynamoDbUnderTest(dynamoDb.endpoint);
});
afterAll(async () => {
  await onDynamoDb?.close();
  await dynamoDb?.stop();
});

describe.each([
  ['the store in memory', () => inMemory],
  ['DynamoDB', () => onDynamoDb as Place],
])('what an action expects of a record, on %s', (_, place) => {
  const operatorOn = (store = place().store) =>
    new BacklogOperator({ table: 'records', controlTable: 'control', clock, store });
  /** A record that waits for an hour, and was written by the library unless the test says otherwise. */
  const put = async ({ rev = 'seen', ...attributes }: Record<string, unknown> = {}) => {
    const id = `expected-${records++}`;
    const item = {
      id,
      status: 'ERROR',
      queue: 'orders',
      payload: { n: 1 },
      insertedAt: at(-3_600_000),
      lane: 'orders',
      dueAt: at(3_600_000),
      failures: 1,
      ...(rev === null ? {} : { rev }),
      ...attributes,
    };
    await place().put(item);
    return item;
  };
  const seen = async (id: string): Promise<Item> => {
    for await (const item of operatorOn().export(id)) return item;
    throw new Error('absent');
  };
  const LEFT = { changed: 0, skipped: { changedMeanwhile: 1 } };

  it('is its rev, and then the action is done', async () => {
    const { id } = await put();
    const result = await operatorOn().runNow(id, { expected: { rev: 'seen' } });
    expect(result).toMatchObject({ changed: 1, skipped: {} });
    expect(await place().raw(id)).toMatchObject({ dueAt: at(0) });
  });

  it('leaves a record with another rev alone, whatever the action is, and whether dry or not', async () => {
    const waiting = await put({ rev: 'newer' });
    const dead = await put({ rev: 'newer', status: 'DEAD', lane: 'orders/dead' });
    const operator = operatorOn();
    const expected = { rev: 'seen' };
    const results = [
      await operator.runNow(waiting.id, { expected }),
      await operator.runNow(waiting.id, { expected, dryRun: true }),
      await operator.snooze(waiting.id, { expected, delay: '2h' }),
      await operator.editPayload(waiting.id, { expected, payload: 2 }),
      await operator.move(waiting.id, { expected, queue: 'other' }),
      await operator.changePolicy(waiting.id, { expected, retry: { type: 'none' } }),
      await operator.discard(waiting.id, { expected }),
      await operator.discard(waiting.id, { expected, delete: true }),
      await operator.redrive(dead.id, { expected }),
    ];
    for (const result of results) expect(result).toMatchObject(LEFT);
    expect(await place().raw(waiting.id)).toEqual(waiting);
    expect(await place().raw(dead.id)).toEqual(dead);
  });

  it('holds to the write: a change between its reading and its write is not passed over', async () => {
    const changing = async (options: { expected?: Item }) => {
      const item = await put();
      let changes = 0;
      const store = interrupted(place().store, {
        'records.change': async () => {
          if (changes++ === 0) await place().put({ ...item, rev: 'of-a-run', payload: 'of a run' });
        },
      });
      return { item, result: await operatorOn(store).editPayload(item.id, { payload: 'mine', ...options }) };
    };
    const fenced = await changing({ expected: { rev: 'seen' } });
    expect(fenced.result).toMatchObject(LEFT);
    expect(await place().raw(fenced.item.id)).toMatchObject({ payload: 'of a run', rev: 'of-a-run' });
    // Without it the action reads again, and decides again.
    const free = await changing({});
    expect(free.result).toMatchObject({ changed: 1 });
    expect(await place().raw(free.item.id)).toMatchObject({ payload: 'mine' });
  });

  it('is all of a record that the library has never written', async () => {
    const payload = { tags: new Set(['b', 'a']), n: 12345678901234567890n, deep: [{ list: [1, null] }] };
    const { id } = await put({ rev: null, payload });
    expect(await operatorOn().discard(id, { expected: await seen(id) })).toMatchObject({ changed: 1 });
    expect(await place().raw(id)).toMatchObject({ status: 'DEAD' });
  });

  it.each([
    ['overwritten by its producer', { payload: { n: 2 } }],
    ['written by the library since', { rev: 'of-a-run' }],
    ['given an attribute of the contract', { availableAt: at(60_000) }],
  ])('leaves a record alone that had no rev, and was %s', async (_name, changes) => {
    const item = await put({ rev: null });
    const expected = await seen(item.id);
    await place().put({ ...item, ...changes });
    expect(await operatorOn().discard(item.id, { expected })).toMatchObject(LEFT);
    expect(await place().raw(item.id)).toEqual({ ...item, ...changes });
  });

  it('may be more than the rev, which a change by hand leaves as it is', async () => {
    const item = await put();
    const expected = await seen(item.id);
    await place().put({ ...item, payload: 'corrected by hand' });
    expect(await operatorOn().discard(item.id, { expected })).toMatchObject(LEFT);
    expect(await operatorOn().discard(item.id, { expected: { rev: 'seen' } })).toMatchObject({ changed: 1 });
  });

  it('is of a whole item also what that had not, of what its attempt depends on', async () => {
    const item = await put();
    const expected = await seen(item.id);
    await place().put({ ...item, retry: { type: 'none' } });
    expect(await operatorOn().discard(item.id, { expected })).toMatchObject(LEFT);
    await place().put({ ...item, note: 'of its own' });
    expect(await operatorOn().discard(item.id, { expected })).toMatchObject({ changed: 1 });
  });

  it('says that a record is gone, as without it', async () => {
    const result = await operatorOn().runNow('expected-gone', { expected: { rev: 'seen' } });
    expect(result).toMatchObject({ changed: 0, skipped: { notFound: 1 } });
  });

  it('is for one id', async () => {
    const expected = { rev: 'seen' };
    for (const which of [['a', 'b'], [], { queue: 'orders' }]) {
      await expect(operatorOn().runNow(which, { expected })).rejects.toThrow(
        'runNow.expected: only for one id',
      );
    }
    for (const wrong of ['seen', null, [], new Map()]) {
      await expect(operatorOn().runNow('a', { expected: wrong as never })).rejects.toThrow(
        /expected.*attributes of the record/,
      );
    }
  });
});
