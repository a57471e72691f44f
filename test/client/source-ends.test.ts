import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { batchesOf } from '../../src/client/batches.js';
import { BacklogClient, InsertInterruptedError } from '../../src/client/index.js';
import { insertMany } from '../../src/client/insert-many.js';
import { itemOf, type NewRecord } from '../../src/client/new-record.js';
import { insertSingle } from '../../src/store/dynamodb/bulk-inserts.js';
import { MemoryStore, StoreAccessError } from '../../src/store/index.js';
import { systemClock } from '../../src/support/clock.js';

describe('an insertion whose source has nothing to give', () => {
  it('begins none with a signal that is aborted already', async () => {
    const store = new MemoryStore({ clock: systemClock });
    const backlog = new BacklogClient({ table: 'records', store });
    const reason = new Error('shutting down');
    async function* source(): AsyncGenerator<NewRecord> {
      await new Promise(() => {});
    }
    const inserting = backlog.insertMany(source(), { signal: AbortSignal.abort(reason) });
    await expect(inserting).rejects.toMatchObject({ name: 'InsertInterruptedError', cause: reason });
  });

  it('leaves no listener on a signal that lives longer', async () => {
    const backlog = new BacklogClient({ table: 'records', store: new MemoryStore({ clock: systemClock }) });
    const { signal } = new AbortController();
    async function* source() {
      for (let i = 0; i < 30; i++) yield { id: `r${i}`, payload: i };
    }
    expect(await backlog.insertMany(source(), { signal })).toMatchObject({ inserted: 30 });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    const over = new AbortController().signal;
    for await (const _ of batchesOf(source(), 1, systemClock, over))
      expect(getEventListeners(over, 'abort')).toEqual([]);
  });

  it('ends at its signal', async () => {
    const store = new MemoryStore({ clock: systemClock });
    const backlog = new BacklogClient({ table: 'records', store });
    const abort = new AbortController();
    async function* source() {
      yield { id: 'a', payload: 1 };
      await new Promise(() => {});
    }
    const inserting = backlog.insertMany(source(), { signal: abort.signal }).catch((e: unknown) => e);
    await expect.poll(() => store.items()).toHaveLength(1);
    abort.abort(new Error('shutting down'));
    expect(await inserting).toBeInstanceOf(InsertInterruptedError);
  });

  it('ends when the table cannot be used', async () => {
    async function* source() {
      yield { id: 'a', payload: 1 };
      await new Promise(() => {});
    }
    const insert = async () => {
      throw new StoreAccessError('denied');
    };
    const inserting = insertMany(source() as AsyncIterable<NewRecord>, {
      itemOf: (r) =>
        itemOf(r, { now: 0, availableAt: undefined, indexesAtOnce: () => true, random: Math.random }),
      idOf: ({ id }) => id,
      insert: (items) => Promise.all(items.map((item) => insertSingle(item, { insert }))),
      clock: systemClock,
      random: Math.random,
      concurrency: 4,
    }).catch((e: unknown) => e);
    expect(await inserting).toBeInstanceOf(InsertInterruptedError);
  });
});

it('what a source gave goes in, also if it throws when it is asked', async () => {
  const store = new MemoryStore({ clock: systemClock });
  const backlog = new BacklogClient({ table: 'records', store });
  let n = 0;
  const source = {
    [Symbol.asyncIterator]: () => ({
      next() {
        if (++n > 3) throw new Error('broken');
        return Promise.resolve({ done: false as const, value: { id: `r${n}`, payload: n } });
      },
    }),
  };
  await expect(backlog.insertMany(source)).rejects.toThrow('broken');
  expect(store.items().length).toBe(3);
});
