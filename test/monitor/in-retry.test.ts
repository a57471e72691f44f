import { describe, expect, it } from 'vitest';
import { inRetry } from '../../src/monitor/in-retry.js';
import { countsOf } from '../../src/operate/stats.js';
import { MemoryStore } from '../../src/store/index.js';
import { replacing } from '../simulation/replacing.js';
import { item, NOW } from '../store/records.js';

const DAY = 86_400;
const clock = { now: () => NOW, wall: () => NOW, sleep: async () => {} };
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();
const patiently = <Answer>(request: () => Promise<Answer>) => request();

/** The monitor's estimate for records that are due in so many seconds, failed or not. */
async function estimated(
  dues: readonly (readonly [seconds: number, status: 'NEW' | 'ERROR', lane?: string])[],
  { isByAge = false, lanes = ['orders'] }: { isByAge?: boolean; lanes?: readonly string[] } = {},
) {
  const store = new MemoryStore({ clock });
  for (const [i, [seconds, status, lane = 'orders']] of dues.entries())
    store.put(item(`r${i}`, { dueAt: at(seconds), status, lane }));
  const counts = await countsOf({ lanes, isByAge }, NOW, { store, patiently });
  let read = 0;
  const readItems: MemoryStore['records']['getItems'] = async (ids) => {
    read += ids.length;
    return store.records.getItems(ids);
  };
  const deps = { store: replacing({ records: { getItems: readItems } }, store), now: NOW };
  return { estimate: await inRetry(lanes, counts, deps), read };
}
const many = (count: number, seconds: (i: number) => number, status: (i: number) => 'NEW' | 'ERROR') =>
  Array.from({ length: count }, (_, i) => [seconds(i), status(i)] as const);

describe('how many of those that wait have failed', () => {
  it('is exact for a few of each part', async () => {
    const { estimate } = await estimated([
      [-60, 'NEW'],
      [-30, 'ERROR'],
      [30, 'ERROR'],
      [600, 'NEW'],
      [7_200, 'ERROR'],
      [3 * DAY, 'ERROR'],
    ]);
    expect(estimate).toBe(4);
  });

  it('is by part: those that wait for long do not stand for those that are due', async () => {
    const fresh = many(
      1_000,
      (i) => -i - 1,
      () => 'NEW',
    );
    const retries = many(
      40,
      (i) => 7_200 + i,
      () => 'ERROR',
    );
    const { estimate, read } = await estimated([...fresh, ...retries]);
    expect(estimate).toBe(40);
    expect(read).toBe(20);
  });

  it('is about right where both are mixed, for at most fifty records', async () => {
    const spread = [-30, 30, 600, 7_200, 3 * DAY];
    const mixed = spread.flatMap((from) =>
      many(
        200,
        (i) => from + i / 10,
        (i) => (i % 2 === 0 ? 'NEW' : 'ERROR'),
      ),
    );
    const { estimate, read } = await estimated(mixed);
    expect(estimate).toBeGreaterThan(300);
    expect(estimate).toBeLessThan(700);
    expect(read).toBeLessThanOrEqual(50);
  });

  it('of a progressive queue is by age', async () => {
    const young = many(
      100,
      (i) => -i,
      () => 'NEW',
    );
    const old = many(
      30,
      (i) => -10 * DAY - i,
      () => 'ERROR',
    );
    const delayed = many(
      3,
      (i) => DAY + i,
      () => 'NEW',
    );
    expect((await estimated([...young, ...old, ...delayed], { isByAge: true })).estimate).toBe(30);
  });

  it('looks into all lanes of a queue with shards', async () => {
    const lanes = ['orders', 'orders#1', 'orders#2'];
    const dues = lanes.map((lane, i) => [-60 - i, i === 1 ? 'NEW' : 'ERROR', lane] as const);
    expect((await estimated(dues, { lanes })).estimate).toBe(2);
  });

  it('is 0 where the records that the index shows are gone', async () => {
    const query = async () => ({ keys: [{ id: 'gone', dueAt: at(-1) }], more: false });
    const store = replacing({ pages: { query } }, new MemoryStore({ clock }));
    const due = { now: 5, minute: 0, hour: 0, day: 0 };
    expect(
      await inRetry(['orders'], { pending: 5, dead: 0, oldestDueAt: undefined, due }, { store, now: NOW }),
    ).toBe(0);
  });
});
