import { describe, expect, it } from 'vitest';
import { CountsReader } from '../../src/overview/counts.js';
import { type KeyCounts, keysOf } from '../../src/overview/keys.js';
import type { ReadBudget } from '../../src/overview/sample/read-within.js';
import { busyKeysText, hashOfKey } from '../../src/record/busy-keys.js';
import { readSample } from '../../tools/src/console/failures/read-causes.js';
import { LARGE_BUDGET, PAGE_BUDGET } from '../../tools/src/console/read-budgets.js';
import {
  consoleUnderTest,
  DAY,
  dead,
  HOUR,
  inRetry,
  iso,
  MINUTE,
  NOW,
  waiting,
} from './console-under-test.js';

const QUEUE = { queues: () => [{ name: 'orders' }] };

/** A backlog in memory, whose sample is read as a page or a command would. */
function sampled(items: readonly ReturnType<typeof waiting>[], busy: readonly string[] = []) {
  const { store, clock } = consoleUnderTest();
  for (const item of items) store.put(item);
  const lanes = busy.map((key, i) => ({ shard: 31 - i, hash: hashOfKey(key), until: NOW + HOUR }));
  const asked: string[] = [];
  const { query } = store.pages;
  Object.assign(store.pages, {
    query: (given: Parameters<typeof query>[0]) => {
      asked.push(given.lane);
      return query.call(store.pages, given);
    },
  });
  const deps = { backlog: { table: 'Records', controlTable: 'Control', store, clock } };
  const read = async (budget: ReadBudget) => {
    await store.queues.noteBusyKeys('orders', busyKeysText(lanes), undefined);
    const { counts } = await new CountsReader({ ...deps, ...QUEUE }).read();
    // The monitor knows the number of all that waits.
    const pending = items.filter(({ status }) => status !== 'DEAD').length;
    const stats = (counts?.stats.queues ?? []).map((one) =>
      one.counted === 'exact' ? one : { ...one, pending, counted: 'about' as const },
    );
    asked.length = 0;
    const sample = await readSample(deps, stats, budget);
    return { ...sample, keys: keysOf(sample.strata, stats, NOW), asked };
  };
  return { read };
}
const many = (count: number, make: (i: number) => ReturnType<typeof waiting>) =>
  Array.from({ length: count }, (_, i) => make(i));
const inLane = (key: string, shard: number, count: number) =>
  many(count, (i) => waiting(`${key}-${i}`, { key, lane: `orders#${shard}`, dueAt: iso(-i * 1_000) }));
const waitingOf = (keys: readonly KeyCounts[], name: string) =>
  Math.round(keys.find(({ key }) => key === name)?.waiting ?? 0);

describe('the records that stand for a backlog', () => {
  it('are of every busy lane, with what it holds, and the other keys are not read less for it', async () => {
    const quiet = many(1_200, (i) => waiting(`q${i}`, { key: `quiet-${i % 100}`, dueAt: iso(-i * 1_000) }));
    const busy = Array.from({ length: 24 }, (_, i) => `busy-${i}`);
    const items = [...quiet, ...busy.flatMap((key, i) => inLane(key, 31 - i, 100 + 10 * i))];
    const { keys, examined } = await sampled(items, busy).read(PAGE_BUDGET);
    expect(examined).toBeLessThanOrEqual(PAGE_BUDGET.records);
    // Half of them are of the queue's own lane: none of its keys looks like a burst.
    const others = keys.filter(({ key }) => key?.startsWith('quiet'));
    expect(others.length).toBeGreaterThan(15);
    expect(Math.max(...others.map(({ waiting: own }) => own))).toBeLessThan(150);
    for (const [i, key] of busy.entries()) expect(waitingOf(keys, key)).toBe(100 + 10 * i);
    expect(keys[0]).toMatchObject({ key: 'busy-23', busyUntil: Math.floor((NOW + HOUR) / MINUTE) * MINUTE });
  });

  it('are chosen from the whole lane where the budget has it; of longer ones the rest is divided equally', async () => {
    const items = [...inLane('noisy', 31, 3_900), ...inLane('loud', 30, 900), waiting('q', { key: 'quiet' })];
    const world = sampled(items, ['noisy', 'loud']);
    const command = await world.read(LARGE_BUDGET);
    expect(['noisy', 'loud', 'quiet'].map((key) => waitingOf(command.keys, key))).toEqual([3_900, 900, 1]);
    const page = await world.read(PAGE_BUDGET);
    expect(['noisy', 'loud', 'quiet'].map((key) => waitingOf(page.keys, key))).toEqual([2_400, 2_400, 1]);
    expect(page.total).toBe(4_801);
  });

  it('stand for keys whose records stand together, as each has put them at once', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e'];
    const items = keys.flatMap((key, k) =>
      many(800, (i) => waiting(`${key}${i}`, { key, dueAt: iso(-DAY + k * HOUR + i) })),
    );
    const read = await sampled(items).read(LARGE_BUDGET);
    expect(read.examined).toBe(1_000);
    for (const key of keys) expect(Math.abs(waitingOf(read.keys, key) - 800)).toBeLessThan(10);
  });

  it('ask no lane that was empty', async () => {
    const items = [...inLane('noisy', 31, 900), waiting('q', { key: 'quiet' }), dead('d', { key: 'quiet' })];
    const { asked, keys } = await sampled(items, ['noisy']).read(LARGE_BUDGET);
    expect(new Set(asked)).toEqual(new Set(['orders', 'orders#31', 'orders/dead']));
    expect(waitingOf(keys, 'noisy')).toBe(900);
  });

  it('have some that have just come, between those that are late and those that wait for long', async () => {
    const late = many(400, (i) => inRetry(`l${i}`, { key: 'late', dueAt: iso(-DAY + i * 1_000) }));
    const burst = many(400, (i) => waiting(`b${i}`, { key: 'burst', dueAt: iso(-MINUTE + i) }));
    const long = many(400, (i) => inRetry(`f${i}`, { key: 'long', dueAt: iso(DAY + i) }));
    const { keys } = await sampled([...late, ...burst, ...long]).read(PAGE_BUDGET);
    expect(keys.map(({ key }) => key).sort()).toEqual(['burst', 'late', 'long']);
    for (const { waiting: own } of keys) expect(Math.abs(own - 400)).toBeLessThan(30);
  });

  it('are read once for causes and keys', async () => {
    const items = many(40, (i) => inRetry(`r${i}`, { key: `k${i % 4}` }));
    const { app, store } = consoleUnderTest(QUEUE);
    for (const item of items) store.put(item);
    let reads = 0;
    const read = store.records.getItems.bind(store.records);
    store.records.getItems = async (ids, consistency) => {
      reads += ids.length;
      return read(ids, consistency);
    };
    expect(await (await app.request('/failures')).text()).toContain('4 keys');
    expect(reads).toBe(40);
  });
});
