import { describe, expect, it } from 'vitest';
import { deadLane, lanesOf } from '../../src/record/index.js';
import { MemoryStore } from '../../src/store/index.js';
import { seededRandom } from '../../src/support/seeded-random.js';
import { parseFilter, readFilter } from '../../tools/src/console/records/filter.js';
import { type SearchedQueue, searchRecords } from '../../tools/src/console/records/search.js';
import { replacing } from '../simulation/replacing.js';
import { HOUR, iso, NOW, waiting } from './console-under-test.js';

const clock = { now: () => NOW, wall: () => NOW, sleep: async () => {} };
const BOUNDS = { rows: 40, examined: 200, units: 25 };

/** A store whose reads cost what DynamoDB bills: half a unit for each 4 KB of a record. */
function billing() {
  const store = new MemoryStore({ clock });
  const sizes = new Map<string, number>();
  let spent = 0;
  const bill = (ids: readonly string[]) => {
    for (const id of ids) spent += Math.max(1, Math.ceil((sizes.get(id) ?? 1) / 4_096)) / 2;
  };
  const readItems: typeof store.records.getItems = async (ids, consistency) => {
    bill(ids);
    return store.records.getItems(ids, consistency);
  };
  const scanItems: typeof store.records.scan = async (page) => {
    const answer = await store.records.scan(page);
    bill(answer.found.map(({ record }) => record.id));
    return answer;
  };
  const billed = replacing({ records: { getItems: readItems, scan: scanItems } }, store);
  const open = () => {
    const before = spent;
    return { store: billed, units: () => ({ readUnits: spent - before, writeUnits: 0 }) };
  };
  const put = (id: string, bytes: number, attributes: object = {}) => {
    sizes.set(id, bytes);
    store.put(waiting(id, attributes as Record<string, unknown>) as never);
  };
  return { store, put, tables: { open } as never, spent: () => spent };
}

const filterOf = (parts: Record<string, string>) => parseFilter(readFilter((name) => parts[name]));

async function pageThrough(
  { tables, spent }: ReturnType<typeof billing>,
  parts: Record<string, string>,
  queues: (page: number) => readonly SearchedQueue[],
  between: (page: number) => void = () => {},
) {
  const seen: string[] = [];
  const costs: number[] = [];
  let after: string | undefined;
  for (let page = 0; page < 3_000; page++) {
    const before = spent();
    const found = await searchRecords(
      filterOf(parts),
      after,
      { tables, now: NOW, queues: queues(page) },
      BOUNDS,
    );
    costs.push(spent() - before);
    seen.push(...found.records.map(({ id }) => id));
    after = found.next;
    if (after === undefined) return { seen, costs };
    between(page);
  }
  throw new Error('the pages have no end');
}

describe('page by page', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'each record that stays is shown once, whatever else moves: seed %i',
    async (seed) => {
      const random = seededRandom(seed);
      const pick = <One>(list: readonly One[]) => list[Math.floor(random() * list.length)] as One;
      const bench = billing();
      const names = ['a', 'b', 'c', 'd'];
      const moving: string[] = [];
      const expected: string[] = [];
      for (let i = 0; i < 1_000; i++) {
        const queue = pick(names);
        const lane = pick(lanesOf(queue, 0, 4));
        const isDead = random() < 0.3;
        const id = `r${i}`;
        const dueAt = iso(Math.floor(random() * 50) * HOUR);
        const status = isDead ? 'DEAD' : pick(['NEW', 'ERROR']);
        const size = pick([1, 100, 5_000, 300_000]);
        bench.put(id, size, { queue, lane: isDead ? deadLane(lane) : lane, dueAt, status });
        // A queue of which nothing stays is empty some pages later.
        if (queue === 'b' || random() < 0.2) moving.push(id);
        else expected.push(id);
      }
      const queues = (page: number) =>
        names.map((queue) => ({
          queue,
          // Until the monitor has noted the shards, all lanes are looked into.
          lanes: lanesOf(queue, 0, page % 2 === 0 ? 32 : 4),
          isEmpty: bench.store.items().every((one) => one.queue !== queue || one.status === 'SUCCESS'),
        }));
      const { seen } = await pageThrough(bench, {}, queues, (page) => {
        const count = page === 5 ? moving.length : 3;
        for (const id of moving.splice(0, count)) {
          const done = { status: 'SUCCESS', lane: undefined, dueAt: undefined };
          bench.store.put({
            ...(bench.store.items().find((one) => one.id === id) as object),
            ...done,
          } as never);
        }
      });
      const stayed = new Set(expected);
      expect(seen.filter((id) => stayed.has(id)).toSorted()).toEqual(expected.toSorted());
    },
  );

  it.each([
    ['all lanes as one', 4, {}],
    ['each queue by itself', 9, {}],
    ['all lanes as one, the latest first', 4, { isReversed: true }],
    ['each queue by itself, the latest first', 9, { isReversed: true }],
  ])('leads there and back through the same records, in their order: %s', async (_, lanes, order) => {
    const random = seededRandom(lanes);
    const bench = billing();
    const queues = ['a', 'b'].map((queue) => ({ queue, lanes: lanesOf(queue, 0, lanes) }));
    const places = new Map<string, { dueAt: string; isDead: boolean; queue: string }>();
    for (let i = 0; i < 400; i++) {
      const { queue, lanes: all } = queues[i % 2] as SearchedQueue;
      const lane = all[Math.floor(random() * lanes)] as string;
      // Many are due at the same time, in the same lane and in several.
      const [isDead, dueAt] = [i % 5 === 0, iso(Math.floor(random() * 9) * HOUR)];
      const status = isDead ? 'DEAD' : 'NEW';
      places.set(`r${i}`, { dueAt, isDead, queue });
      bench.put(`r${i}`, 1, { queue, lane: isDead ? deadLane(lane) : lane, dueAt, status });
    }
    const ask = (from: string | undefined, isBackward: boolean) =>
      searchRecords(
        filterOf({}),
        from,
        { ...order, isBackward, tables: bench.tables, now: NOW, queues },
        BOUNDS,
      );
    const there: string[] = [];
    let page = await ask(undefined, false);
    expect(page.previous).toBeUndefined();
    while (page.next !== undefined) {
      there.push(...page.records.map(({ id }) => id));
      page = await ask(page.next, false);
    }
    there.push(...page.records.map(({ id }) => id));
    expect(there.toSorted()).toEqual([...places.keys()].toSorted());
    const sign = 'isReversed' in order ? -1 : 1;
    const rank = (id: string) => {
      const { dueAt, isDead, queue } = places.get(id) as { dueAt: string; isDead: boolean; queue: string };
      const time = Date.parse(dueAt) * sign * (isDead ? -1 : 1);
      return [Number(isDead), page.isByQueue ? Number(queue === 'b') : 0, time] as const;
    };
    const after = (one: string, other: string) => {
      const [a, b] = [rank(one), rank(other)];
      return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
    };
    expect(there).toEqual(there.toSorted(after));

    const back: string[] = page.records.map(({ id }) => id);
    while (page.previous !== undefined) {
      page = await ask(page.previous, true);
      back.unshift(...page.records.map(({ id }) => id));
    }
    expect(back).toEqual(there);
  });

  it('a filter that one in a thousand matches finds each of them, at the price of a page', async () => {
    const bench = billing();
    for (let i = 0; i < 5_000; i++) {
      const isOne = i % 1_000 === 999;
      bench.put(`r${i}`, i % 50 === 0 ? 300_000 : 1, {
        lane: i % 3 === 0 ? 'orders#2' : 'orders',
        dueAt: iso(i * 1_000),
        payload: isOne ? { odd: true } : {},
      });
    }
    const queues = () => [{ queue: 'orders', lanes: lanesOf('orders', 0, 4) }];
    const { seen, costs } = await pageThrough(bench, { where: 'odd=true' }, queues);
    expect(seen.toSorted()).toEqual(['r1999', 'r2999', 'r3999', 'r4999', 'r999']);
    // A page ends behind the records that come to its price. How large these are is not known before.
    expect(Math.max(...costs)).toBeLessThan(150);
  });

  it('finished records that are large cost no more than a page', async () => {
    const bench = billing();
    for (let i = 0; i < 200; i++)
      bench.put(`r${i}`, 20_000, { status: 'SUCCESS', lane: undefined, dueAt: undefined });
    const { seen, costs } = await pageThrough(bench, { status: 'SUCCESS' }, () => []);
    expect(new Set(seen).size).toBe(200);
    expect(Math.max(...costs)).toBeLessThan(30);
  });
});
