import { describe, expect, it } from 'vitest';
import { readingItem } from '../../src/monitor/index.js';
import type { QueueCounts } from '../../src/operate/queue-stats.js';
import { signsText } from '../../src/overview/count-signs.js';
import { entriesFor, type KnownFacts, lookAt } from '../../src/overview/queue-counts.js';
import { type Item, lanesOf } from '../../src/record/index.js';
import { MemoryStore } from '../../src/store/index.js';
import { replacing } from '../simulation/replacing.js';
import { HOUR, iso, MINUTE, NOW, waiting } from './console-under-test.js';

const clock = { now: () => NOW, wall: () => NOW, sleep: async () => {} };
const state = { paused: false, tiers: new Map(), breakers: new Map() };
const counts: QueueCounts = {
  pending: 100_000,
  dead: 7,
  oldestDueAt: iso(-HOUR),
  due: { now: 60_000, minute: 10, hour: 20_000, day: 40_000 },
};
const reading = (changes: Partial<QueueCounts> = {}, shards = 1): Item =>
  readingItem({ at: iso(-4 * MINUTE), shards, retryMode: 'perRecord', counts: { ...counts, ...changes } });

function looking(records: readonly Item[], entries = 10) {
  const store = new MemoryStore({ clock });
  for (const record of records) store.put(record as never);
  const asked: string[] = [];
  const query: MemoryStore['pages']['query'] = (query) => {
    asked.push(`${query.lane} ${query.limit}`);
    return store.pages.query(query);
  };
  const seen = replacing({ pages: { query } }, store);
  const patiently = <Answer>(request: () => Promise<Answer>) => request();
  const look = (facts: Partial<KnownFacts> = {}) =>
    lookAt('orders', { state, item: undefined, ...facts }, { store: seen, patiently, now: NOW, entries });
  return { look, asked };
}
const some = (count: number, changes: (i: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, i) => waiting(`r${i}`, { dueAt: iso(-i * MINUTE), ...changes(i) }));

describe('a look at a queue', () => {
  it('of few records counts them, whatever the monitor has noted', async () => {
    const dues = [-HOUR, -1, 0, 30_000, HOUR / 2, 5 * HOUR, 40 * HOUR];
    const dead = { status: 'DEAD', lane: 'orders/dead', dueAt: iso(-MINUTE) };
    const records = [...some(7, (i) => ({ dueAt: iso(dues[i]) })), { ...waiting('gone', dead) }];
    const stats = await looking(records).look({ item: reading() });
    expect(stats).toMatchObject({
      counted: 'exact',
      pending: 7,
      dead: 1,
      oldestDueAt: iso(-HOUR),
      lagSeconds: 3600,
      due: { now: 3, minute: 1, hour: 2, day: 3 },
    });
    expect(stats.countedAt).toBeUndefined();
  });

  it('counts what waits in the lanes of busy keys, where the monitor knows of one lane', async () => {
    const records = [...some(2), waiting('busy', { lane: 'orders#31', dueAt: iso(-HOUR) })];
    const noted = { state: { ...state, busyKeys: 'v:abc:1' }, item: reading({ pending: 2 }) };
    expect(await looking(records).look(noted)).toMatchObject({ pending: 3, lagSeconds: 3600 });
  });

  it('has the times of the last due record and of its dead, as far as it has read them', async () => {
    const dead = (i: number) =>
      waiting(`d${i}`, { status: 'DEAD', lane: 'orders/dead', dueAt: iso(-(9 - i) * HOUR) });
    const few = [...some(3, (i) => ({ dueAt: iso(i * MINUTE) })), dead(0), dead(1)];
    expect(await looking(few).look()).toMatchObject({
      ...{ lastDueAt: iso(2 * MINUTE), firstDeadAt: iso(-9 * HOUR), lastDeadAt: iso(-8 * HOUR) },
    });
    const many = [...some(11), ...Array.from({ length: 11 }, (_, i) => dead(i / 10))];
    const stats = await looking(many).look();
    expect(stats.firstDeadAt).toBe(iso(-9 * HOUR));
    expect([stats.lastDueAt, stats.lastDeadAt]).toEqual([undefined, undefined]);
    expect(await looking([]).look()).toMatchObject({ lastDueAt: undefined, firstDeadAt: undefined });
  });

  it('of a progressive queue has the time at which its tiers will have come to all', async () => {
    const byAge = { state: { ...state, retryMode: { mode: 'progressive', since: 0 } as const } };
    const retry = {
      type: 'progressive',
      tiers: [
        { every: '5m', untilAge: '1d' },
        { every: '2h', untilAge: '7d' },
      ],
    };
    const look = (ageHours: number, policy?: object) =>
      looking([waiting('r', { dueAt: iso(-ageHours * HOUR) })]).look({ ...byAge, retry: policy as never });
    expect((await look(1, retry)).lastDueAt).toBe(iso(5 * MINUTE));
    expect((await look(30, retry)).lastDueAt).toBe(iso(2 * HOUR));
    expect((await look(900, retry)).lastDueAt).toBe(iso(2 * HOUR));
    expect((await look(-3, retry)).lastDueAt).toBe(iso(3 * HOUR + 5 * MINUTE));
    // The tiers are not known.
    expect((await look(1)).lastDueAt).toBeUndefined();
  });

  it('of many records takes the count of the monitor, with its age; what is due first is exact', async () => {
    const stats = await looking(some(11)).look({ item: reading() });
    const { pending, due } = counts;
    expect(stats).toMatchObject({ pending, due, counted: 'about', countedAt: iso(-4 * MINUTE) });
    expect(stats).toMatchObject({ dead: 0, oldestDueAt: iso(-10 * MINUTE), lagSeconds: 600 });
    expect(signsText([{ stats }], NOW)).toEqual(['≈ counted by the monitor up to 4 min ago']);
  });

  it.each<[string, Item | undefined]>([
    ['no monitor has counted', undefined],
    ['the monitor has counted fewer than there are now', reading({ pending: 9 })],
    ['the reading is not of the library', { ...reading(), counts: { ...counts, pending: '<b>9</b>' } }],
    ['the reading is negative', reading({ pending: -1e9 })],
    ['the reading has no time', { ...reading(), at: 'now' }],
    ['the reading is of no shards', { ...reading(), shards: 0 }],
    ['the reading is of endless shards', { ...reading(), shards: 1e9 }],
    ['the reading is a list', [1, 2] as never],
    ['the reading has a time that no calendar has', { ...reading(), at: '2026-99-99T99:99:99.999Z' }],
    ['the reading is of a clock that is ahead', { ...reading(), at: iso(HOUR) }],
    [
      'the queue retried in another way then',
      { ...reading({ due: undefined, ages: [{ fromAgeSeconds: 0, untilAgeSeconds: undefined, count: 9 }] }) },
    ],
  ])('of many records says how many there are at least, where %s', async (_, item) => {
    const stats = await looking(some(11)).look({ item });
    expect(stats).toMatchObject({ counted: 'atLeast', pending: 10, due: { now: 10 } });
    expect(signsText([{ stats }], NOW)).toEqual(['≥ there are more']);
  });

  it('of many dead records takes the count of the dead alone from the monitor', async () => {
    const dead = some(11, () => ({ status: 'DEAD', lane: 'orders/dead' }));
    const stats = await looking([...dead, waiting('a')]).look({ item: reading({ dead: 4_000 }) });
    expect(stats).toMatchObject({ counted: 'about', pending: 1, dead: 4_000 });
  });

  it('looks into the lanes that the monitor knows of, or else into all that a queue can have', async () => {
    const spread = some(8, (i) => ({ lane: i % 2 === 0 ? 'orders' : 'orders#1' }));
    const known = looking(spread, 10);
    const stats = await known.look({ item: reading({}, 2) });
    expect(stats).toMatchObject({ counted: 'exact', pending: 8, lanes: ['orders', 'orders#1'] });
    expect(known.asked).toEqual(['orders 5', 'orders#1 5', 'orders/dead 5', 'orders#1/dead 5']);
    const unknown = looking(spread, 10);
    expect(await unknown.look()).toMatchObject({ counted: 'exact', pending: 8, lanes: lanesOf('orders') });
    expect(unknown.asked).toHaveLength(64);
  });

  it.each([
    ['is old', { at: iso(-2 * HOUR), counts: { ...counts, pending: 1, dead: 0 } }],
    ['is of a clock that is ahead', { at: iso(HOUR) }],
  ])('looks into all lanes where the reading %s: there may be more shards since', async (_, changes) => {
    const { look } = looking([...some(2), waiting('far', { lane: 'orders#20' })], 100);
    expect(await look({ item: { ...reading(), ...changes } })).toMatchObject({
      counted: 'exact',
      pending: 3,
    });
  });

  it('believes an old reading of a queue so large that it is counted seldom', async () => {
    const item = { ...reading({ pending: 1_000_000 }), at: iso(-2 * HOUR) };
    expect((await looking(some(1)).look({ item })).lanes).toEqual(['orders']);
  });

  it('of a queue whose shards the app says looks into lanes of earlier shards that the monitor has found', async () => {
    const { look } = looking([...some(2), waiting('far', { lane: 'orders#2' })], 100);
    expect(await look({ shards: 1, item: reading({}, 3) })).toMatchObject({ counted: 'exact', pending: 3 });
    expect((await look({ shards: 2, item: reading({}, 1) })).lanes).toEqual(['orders', 'orders#1']);
  });

  it('of a progressive queue counts by its own tiers', async () => {
    const retry = { type: 'progressive', tiers: [{ every: 600, untilAge: 3600 }] } as const;
    const item = readingItem({
      at: iso(),
      shards: 1,
      retryMode: 'progressive',
      retry,
      counts: { ...counts, due: undefined },
    });
    const stats = await looking(some(3, (i) => ({ dueAt: iso(-i * HOUR - 1) }))).look({ item });
    expect(stats.retryMode).toBe('progressive');
    expect(stats.ages?.map(({ untilAgeSeconds, count }) => [untilAgeSeconds, count])).toEqual([
      [3600, 1],
      [undefined, 2],
    ]);
    expect(stats).not.toHaveProperty('due');
  });

  it('of an unreadable policy counts by the default tiers', async () => {
    const item = { ...reading(), retryMode: 'progressive', retry: { type: 'progressive', tiers: 'none' } };
    const stats = await looking(some(1)).look({ item });
    expect(stats.ages).toHaveLength(7);
    expect(stats.reading?.retry).toBeUndefined();
  });
});

it('the entries that are read of all queues have a limit, and each queue has some', () => {
  expect([1, 2, 3, 16, 50].map((queues) => entriesFor(queues))).toEqual([800, 400, 266, 50, 50]);
  expect(entriesFor(2, 10_000)).toBe(2_500);
});
