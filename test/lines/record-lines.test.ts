import { describe, expect, it } from 'vitest';
import { InsertInterruptedError } from '../../src/client/index.js';
import { RecordLines } from '../../src/lines/index.js';
import { MemoryStore, StoreUnavailableError } from '../../src/store/index.js';
import type { MemorySharedItems } from '../../src/store/memory/shared-items.js';
import { VirtualTime } from '../../src/support/virtual-time.js';
import { defineTask } from '../../src/tasks/index.js';

const NOW = Date.UTC(2026, 0, 1);

function linesOnMemory() {
  const time = new VirtualTime(NOW, async () => {});
  const store = new MemoryStore({ clock: time.clock() });
  const lines = new RecordLines({ table: 'records', controlTable: 'control', store, clock: time.clock() });
  return { store, lines };
}

const records = (...ids: string[]) => ids.map((id) => ({ id, queue: 'orders', key: 'k', payload: id }));

describe('RecordLines', () => {
  it('gives records of each key the next numbers, in the order of the source, and no lane', async () => {
    const { store, lines } = linesOnMemory();
    const others = [{ id: 'x', queue: 'orders', key: 'other', payload: 1 }];
    expect(await lines.insert([...records('a', 'b'), ...others])).toMatchObject({ inserted: 3 });
    expect(await lines.insert(records('a', 'c', 'b', 'd', 'd'))).toEqual({
      ...{ inserted: 2, failed: [] },
      duplicates: ['a', 'b', 'd'],
    });
    const seqs = ['a', 'b', 'c', 'd', 'x'].map((id) => store.item(id)?.seq);
    expect(seqs).toEqual([1, 2, 3, 4, 1]);
    expect(store.item('a')).toMatchObject({ status: 'NEW', key: 'k', queue: 'orders' });
    expect(store.item('a')).not.toHaveProperty('lane');
  });

  it('reports records that cannot be numbered, and inserts the others', async () => {
    const { store, lines } = linesOnMemory();
    const wrong = [
      { id: 'no-key', queue: 'orders', payload: 1 },
      { id: 'own', queue: 'orders', key: 'k', seq: 7, payload: 1 },
      { id: 'none', queue: 'orders', key: 'k' } as unknown as { payload: unknown },
    ];
    const { inserted, failed } = await lines.insert([...wrong, ...records('a')]);
    expect(inserted).toBe(1);
    expect(failed.map(({ id, index, error }) => [id, index, error.message])).toEqual([
      ['no-key', 0, 'record "no-key": key: expected text of 1 to 256 bytes, got nothing'],
      ['own', 1, 'record "own": seq: expected nothing, as RecordLines gives the number, got 7'],
      ['none', 2, 'record "none": payload: expected a value, got nothing'],
    ]);
    expect(store.item('a')?.seq).toBe(1);
  });

  it('inserts payloads of a task by its key', async () => {
    const { store, lines } = linesOnMemory();
    const task = defineTask<{ order: string }>({
      ...{ name: 'ship', queue: 'orders' },
      key: ({ order }) => order,
      perform: () => {},
    });
    await lines.insert(task, [{ order: '7' }, { order: '8' }, { order: '7' }]);
    expect(store.items().map(({ key, seq, task: name }) => [key, seq, name])).toEqual(
      expect.arrayContaining([
        ['7', 1, 'ship'],
        ['7', 2, 'ship'],
        ['8', 1, 'ship'],
      ]),
    );
  });

  it('says what went in when the tables do not answer, and at the signal', async () => {
    const { store, lines } = linesOnMemory();
    const { numbered } = store;
    const insert = numbered.insert.bind(numbered);
    let calls = 0;
    numbered.insert = (key, items) =>
      ++calls > 1 ? Promise.reject(new StoreUnavailableError('no answer')) : insert(key, items);
    const many = records(...Array.from({ length: 150 }, (_, i) => `r${i}`));
    const error = await lines.insert(many).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InsertInterruptedError);
    expect(error).toMatchObject({ result: { inserted: 99 }, taken: 150, unsettled: { length: 51 } });
    numbered.insert = insert;
    expect(await lines.insert(many)).toMatchObject({ inserted: 51, duplicates: { length: 99 } });
    const aborted = AbortSignal.abort();
    await expect(lines.insert(records('late'), { signal: aborted })).rejects.toBeInstanceOf(
      InsertInterruptedError,
    );
    expect(store.item('late')).toBeUndefined();
  });

  it('shows a line: why it waits, and its followers', async () => {
    const { store, lines } = linesOnMemory();
    const name = { queue: 'orders', key: 'k' };
    expect(await lines.get(name)).toBeUndefined();
    store.put({
      id: 'a',
      status: 'ERROR',
      ...name,
      seq: 1,
      payload: 1,
      failures: 1,
      lane: 'orders',
      dueAt: '2026-01-01T00:05:00.000Z',
      lastError: { name: 'Error', message: 'down', at: '2026-01-01T00:00:00.000Z', attempt: 1 },
    });
    await store.lines.write(
      'line#orders#k',
      { next: 1, last: 17, head: { id: 'a', seq: 1, by: 'a' }, rev: '1' },
      undefined,
    );
    await store.lines.write('line-page#0#orders#k', { waiting: [2, 'b', 3, 'c'], rev: '1' }, undefined);
    await store.lines.write('line-page#1#orders#k', { waiting: [17, 'q'], rev: '1' }, undefined);
    expect(await lines.get(name)).toEqual({
      ...{ ...name, next: 1, state: 'retrying', waiting: 3, hasMore: false },
      head: { id: 'a', seq: 1, dueAt: '2026-01-01T00:05:00.000Z', error: 'Error: down' },
    });
    const waiting = [];
    for await (const one of lines.waiting(name)) waiting.push(one);
    expect(waiting).toEqual([
      { id: 'b', seq: 2 },
      { id: 'c', seq: 3 },
      { id: 'q', seq: 17 },
    ]);
    store.put({ id: 'a', status: 'DEAD', ...name, seq: 1, payload: 1, deadReason: 'maxAttempts' });
    expect(await lines.get(name)).toMatchObject({ state: 'dead' });
    (store.lines as MemorySharedItems).put('line#orders#damaged', { next: 4, last: 3 });
    expect(await lines.get({ queue: 'orders', key: 'damaged' })).toMatchObject({ next: 4, state: 'idle' });
    await store.lines.write(
      'line#orders#gap',
      { next: 4, last: 5, gapSince: NOW - 60_000, rev: '1' },
      undefined,
    );
    await store.lines.write('line-page#0#orders#gap', { waiting: [5, 'e'], rev: '1' }, undefined);
    // The change of the record that is next was given up.
    await store.lines.write('line#orders#lost', { next: 4, last: 5, rev: '1' }, undefined);
    await store.lines.write('line-page#0#orders#lost', { waiting: [4, 'd'], rev: '1' }, undefined);
    await store.lines.write('line#orders#idle', { next: 4, last: 3, rev: '1' }, undefined);
    const all = [];
    for await (const line of lines.list('orders')) all.push(line);
    expect(all.map(({ key, state }) => [key, state]).sort()).toEqual([
      ['gap', 'missing'],
      ['k', 'dead'],
      ['lost', 'starting'],
    ]);
    expect(all.find(({ key }) => key === 'gap')?.missing).toEqual({
      seq: 4,
      since: '2025-12-31T23:59:00.000Z',
    });
  });

  it.each([
    [{ queue: 'a b', key: 'k' }, 'queue: expected letters'],
    [{ queue: 'orders', key: '' }, 'key: expected text of 1 to 256 bytes, got ""'],
    [undefined, 'queue: expected letters'],
  ])('refuses %j for a line', async (name, message) => {
    const { lines } = linesOnMemory();
    await expect(lines.get(name as { queue: string; key: string })).rejects.toThrow(message);
  });
});

describe('RecordLines.held', () => {
  it('has the keys that are noted as held, and whether there are more', async () => {
    const { store, lines } = linesOnMemory();
    expect(await lines.held('orders')).toEqual({ keys: [], hasMore: false });
    const note = { keys: ['a', 7, 'b'], hasMore: true, rev: 'h' };
    await store.lines.write('held-lines#orders', note, undefined);
    expect(await lines.held('orders')).toEqual({ keys: ['a', 'b'], hasMore: true });
    expect(await lines.held('mail')).toEqual({ keys: [], hasMore: false });
    await expect(lines.held('a b')).rejects.toThrow(/^queue: expected/);
  });
});
