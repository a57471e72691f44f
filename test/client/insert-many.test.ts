import { describe, expect, it } from 'vitest';
import { InsertInterruptedError, type InsertProgress } from '../../src/client/index.js';
import { insertMany } from '../../src/client/insert-many.js';
import { itemOf, type NewRecord } from '../../src/client/new-record.js';
import type { Item } from '../../src/record/index.js';
import { type InsertAnswer, insertSingle } from '../../src/store/dynamodb/bulk-inserts.js';
import {
  MemoryStore,
  StoreAccessError,
  StoreThrottledError,
  StoreUnavailableError,
} from '../../src/store/index.js';
import { systemClock } from '../../src/support/clock.js';
import { InvalidRecordError } from '../../src/support/errors.js';
import { NOW } from '../store/records.js';

const sleeps: number[] = [];
const clock = {
  now: () => NOW,
  wall: () => NOW,
  sleep: async (milliseconds: number) => {
    sleeps.push(milliseconds);
  },
};
const random = () => 0.5;

type Insert = (item: Item) => Promise<'inserted' | 'duplicate'>;

function many(records: Iterable<NewRecord> | AsyncIterable<NewRecord>, insert: Insert, more = {}) {
  return insertMany(records, {
    itemOf: (record) =>
      itemOf(record, { now: NOW, availableAt: undefined, indexesAtOnce: () => true, random }),
    idOf: ({ id }) => id,
    insert: (items) => Promise.all(items.map((item) => insertSingle(item, { insert }))),
    clock,
    random,
    concurrency: 4,
    ...more,
  });
}

const records = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `r-${i}`, payload: i }));

describe('inserting many records', () => {
  it('inserts all, and names duplicates and those that cannot be stored', async () => {
    const store = new MemoryStore({ clock });
    await store.records.insert({ id: 'r-3', status: 'NEW', payload: 'before' });
    const source: NewRecord[] = records(6);
    source[1] = { id: 'bad', payload: Number.NaN };
    source[4] = { payload: undefined };
    const result = await many(source, (item) => store.records.insert(item));
    expect(result).toMatchObject({
      inserted: 3,
      duplicates: ['r-3'],
      failed: [
        { id: 'bad', index: 1 },
        { id: undefined, index: 4 },
      ],
    });
    expect(result.failed[0]?.error.message).toMatch(/bad.*payload is NaN/);
    expect((await store.records.get('r-3'))?.payload).toBe('before');
  });

  it('takes an asynchronous source, never further ahead of what is going in than by a batch', async () => {
    let [taken, done, ahead, atOnce, working] = [0, 0, 0, 0, 0];
    async function* source() {
      for (const record of records(100)) {
        taken++;
        ahead = Math.max(ahead, taken - done);
        yield record;
      }
    }
    const insert: Insert = async () => {
      atOnce = Math.max(atOnce, ++working);
      await new Promise((resolve) => setImmediate(resolve));
      working--;
      done++;
      return 'inserted';
    };
    const result = await many(source(), insert, { clock: systemClock });
    expect(result.inserted).toBe(100);
    expect(atOnce).toBe(4);
    expect(ahead).toBeLessThanOrEqual(8);
  });

  it('reports progress after every record', async () => {
    const progress: InsertProgress[] = [];
    await many(records(3), async (item) => (item.id === 'r-1' ? 'duplicate' : 'inserted'), {
      onProgress: (counts: InsertProgress) => progress.push(counts),
      concurrency: 1,
    });
    expect(progress).toEqual([
      { inserted: 1, duplicates: 0, failed: 0 },
      { inserted: 1, duplicates: 1, failed: 0 },
      { inserted: 2, duplicates: 1, failed: 0 },
    ]);
  });

  it('backs off longer and longer when it is throttled, and sends the same item again', async () => {
    sleeps.length = 0;
    const sent: Item[] = [];
    const result = await many([{ payload: 1 }], async (item) => {
      sent.push(item);
      if (sent.length < 4) throw new StoreThrottledError('slow down');
      return 'inserted';
    });
    expect(result.inserted).toBe(1);
    expect(sleeps).toEqual([75, 150, 300]);
    expect(new Set(sent.map((item) => `${item.id} ${item.rev}`)).size).toBe(1);
  });

  it('does not give up while some go in, however slowly', async () => {
    let turn = 0;
    const insert = async (items: readonly Item[]) => {
      const n = turn++ % 2;
      const error = new StoreThrottledError('slow down');
      return items.map((_, i) => (n === 1 && i === 0 ? 'inserted' : { passing: error }) as InsertAnswer);
    };
    expect(await many(records(25), async () => 'inserted', { insert, concurrency: 25 })).toMatchObject({
      inserted: 25,
    });
    expect(turn).toBe(50);
  });

  it('names those that make no item in the order of their source', async () => {
    const slowly = async (record: NewRecord) => {
      if (record.id === 'r-0') await new Promise((resolve) => setImmediate(resolve));
      throw new InvalidRecordError('no item');
    };
    const { failed } = await many(records(60), async () => 'inserted', { itemOf: slowly, concurrency: 100 });
    expect(failed.map(({ index }) => index)).toEqual(Array.from({ length: 60 }, (_, i) => i));
  });

  it('ends at a mistake of the code that makes the items: it is none of the record', async () => {
    const itemOf = () => {
      throw new TypeError('a mistake');
    };
    const error = await many(records(3), async () => 'inserted', { itemOf }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ cause: { message: 'a mistake' }, result: { inserted: 0, failed: [] } });
  });

  it.each([StoreUnavailableError, StoreAccessError, StoreThrottledError])(
    'stops at a %o that lasts, reads no more of its source, and says what went in',
    async (Trouble) => {
      let taken = 0;
      let closed = false;
      function* source() {
        try {
          for (const record of records(1000)) {
            taken++;
            yield record;
          }
        } finally {
          closed = true;
        }
      }
      const error = await many(source(), async (item) => {
        if (Number(String(item.id).slice(2)) >= 10) throw new Trouble('the reason');
        return 'inserted';
      }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(InsertInterruptedError);
      expect(error).toMatchObject({ result: { inserted: 10, duplicates: [], failed: [] } });
      expect((error as Error).message).toMatch(/10 inserted.*the reason/);
      expect((error as Error).cause).toBeInstanceOf(Trouble);
      expect(taken).toBeLessThan(25);
      expect(closed).toBe(true);
    },
  );

  it('passes on the error of a source that breaks, after what it gave went in', async () => {
    let inserted = 0;
    function* source() {
      yield* records(3);
      throw new Error('line 4 is broken');
    }
    const inserting = many(source(), async () => {
      await new Promise((resolve) => setImmediate(resolve));
      inserted++;
      return 'inserted';
    });
    await expect(inserting).rejects.toThrow('line 4 is broken');
    expect(inserted).toBe(3);
  });
});
