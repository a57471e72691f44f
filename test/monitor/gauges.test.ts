import { describe, expect, it } from 'vitest';
import { type MonitoredQueue, oldestDueAge, RateLimitedCounter } from '../../src/monitor/index.js';
import { countsOfDueTimes } from '../../src/operate/queue-stats.js';
import { countsOf } from '../../src/operate/stats.js';
import { DEFAULT_TIERS, tierBands } from '../../src/policies/index.js';
import { MemoryStore } from '../../src/store/index.js';
import { replacing } from '../simulation/replacing.js';
import { dynamoDbUnderTest } from '../store/dynamodb-under-test.js';
import { item, NOW } from '../store/records.js';
import { startDynamoDb } from '../store/start-dynamodb.js';

const HOUR = 3600;
const DAY = 24 * HOUR;
const clock = { now: () => NOW, wall: () => NOW, sleep: async () => {} };
const perRecord: MonitoredQueue = { name: 'orders', shards: 1, bands: [] };
const progressive: MonitoredQueue = { ...perRecord, bands: tierBands(DEFAULT_TIERS, 300) };
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

function storeWith(...items: ReturnType<typeof item>[]) {
  const store = new MemoryStore({ clock });
  for (const one of items) store.put(one);
  return { store, now: NOW };
}

const due = (id: string, seconds: number, more = {}) => item(id, { dueAt: at(seconds), ...more });

describe('the oldest due age of a queue that retries per record', () => {
  it('is that of the first entry of the index, of all its lanes', async () => {
    const deps = storeWith(due('a', -30), due('b', -400, { lane: 'orders#1' }), due('c', 60));
    expect(await oldestDueAge(perRecord, deps)).toBe(30);
    expect(await oldestDueAge({ ...perRecord, shards: 2 }, deps)).toBe(400);
  });

  it('is that of a busy key’s lane, too, as the queue’s item names it', async () => {
    const deps = storeWith(
      due('a', -30),
      due('b', -400, { lane: 'orders#31' }),
      due('c', -900, { lane: 'orders#30' }),
    );
    expect(await oldestDueAge({ ...perRecord, busyKeys: 'v:abc:1' }, deps)).toBe(400);
  });

  it.each([
    ['nothing waits', []],
    ['nothing is due yet', [due('a', 1)]],
    ['a due time cannot be read', [due('a', 0, { dueAt: '0000 hostile' })]],
    ['all waits in another queue', [due('a', -9, { queue: 'bulk', lane: 'bulk' })]],
    ['records were given up', [due('a', -9, { status: 'DEAD', lane: 'orders/dead' })]],
  ])('is 0 where %s', async (_, items) => {
    expect(await oldestDueAge(perRecord, storeWith(...items))).toBe(0);
  });
});

describe('a due time that cannot be read', () => {
  const odd = (id: string) => due(id, 0, { dueAt: '1732000000' });

  it('does not hide that the records behind it are late', async () => {
    const deps = storeWith(odd('a'), odd('b'), due('c', -HOUR));
    expect(await oldestDueAge(perRecord, deps)).toBe(HOUR);
  });

  it('does not hide it from the counts either', async () => {
    const deps = {
      ...storeWith(odd('a'), due('c', -HOUR)),
      patiently: <Answer>(ask: () => Promise<Answer>) => ask(),
    };
    const counts = await countsOf({ lanes: ['orders'], isByAge: false }, NOW, deps);
    expect(counts).toMatchObject({ pending: 2, lagSeconds: HOUR, oldestDueAt: at(-HOUR) });
    const seen = await countsOfDueTimes(
      { isByAge: false },
      { dueTimes: ['1732000000', at(-HOUR)], dead: 0 },
      NOW,
    );
    expect(seen).toMatchObject({ lagSeconds: HOUR, oldestDueAt: at(-HOUR) });
  });
});

describe('the oldest due age of a progressive queue', () => {
  // There, the due time is the insertion.
  const aged = (id: string, age: number, attempted?: number, more = {}) =>
    item(id, {
      insertedAt: at(-age),
      dueAt: at(-age),
      ...(attempted === undefined ? {} : { status: 'ERROR', attempts: 1, lastAttemptAt: at(-attempted) }),
      ...more,
    });

  it.each([
    ['attempted within the interval of its tier', [aged('a', 2 * DAY, 0.9 * HOUR)], 0],
    ['the hourly tier has missed two runs', [aged('a', 2 * DAY, 3 * HOUR)], 2 * HOUR],
    ['the first tier has not attempted it at all', [aged('a', 20 * 60)], 15 * 60],
    ['the tier of 96 hours is disabled', [aged('a', 100 * DAY, 5 * DAY)], DAY],
    ['the tier of 8 days is disabled', [aged('a', 300 * DAY, 10 * DAY)], 2 * DAY],
    [
      'it waits for a snooze, and the others are on time',
      [aged('a', 2 * DAY, 9 * HOUR, { notBefore: at(60) }), aged('b', 3 * DAY, 60)],
      0,
    ],
    [
      'some at the end of the tier wait for a snooze, and the tier is disabled',
      [
        ...[1, 2, 3].map((n) => aged(`s${n}`, 6 * DAY, 9 * HOUR, { notBefore: at(DAY) })),
        aged('a', 2 * DAY, 5 * HOUR),
      ],
      4 * HOUR,
    ],
    [
      'runs never reach the oldest of a tier',
      [aged('a', 6 * DAY, 5 * HOUR), ...[1, 2, 3, 4].map((n) => aged(`b${n}`, 2 * DAY, 60))],
      4 * HOUR,
    ],
    [
      'runs never reach the youngest of a tier',
      [aged('a', 2 * DAY, 5 * HOUR), ...[1, 2, 3, 4].map((n) => aged(`b${n}`, 6 * DAY, 60))],
      4 * HOUR,
    ],
  ])('%s', async (_, items, age) => {
    expect(await oldestDueAge(progressive, storeWith(...items))).toBeCloseTo(age, 3);
  });
});

it('what the index still shows, and has left its lane since, is not late', async () => {
  const { store, now } = storeWith(due('a', -9_000, { insertedAt: at(-9_000) }));
  const done = replacing(
    {
      records: {
        getMany: async (ids) =>
          (await store.records.getMany(ids)).map((one) => ({ ...one, lane: undefined })),
      },
    },
    store,
  );
  expect(await oldestDueAge(progressive, { store, now })).toBeGreaterThan(8_000);
  expect(await oldestDueAge(progressive, { store: done, now })).toBe(0);
});

describe('the counts of a queue', () => {
  const hasTime = () => true;

  it('are what waits, what is due and what was given up', async () => {
    const deps = storeWith(
      due('a', -30),
      due('b', -1, { lane: 'orders#1' }),
      due('later', 60),
      due('d', -9, { status: 'DEAD', lane: 'orders/dead' }),
      item('done', { status: 'SUCCESS', lane: undefined, dueAt: undefined }),
    );
    const counts = await new RateLimitedCounter(clock).count({ ...perRecord, shards: 2 }, deps, hasTime);
    expect(counts).toMatchObject({
      counts: { pending: 3, due: { now: 2 }, dead: 1, oldestDueAt: at(-30) },
      at: at(0),
      isOld: false,
    });
  });

  it('of a progressive queue name each tier and what is older, and leave out no record', async () => {
    const ages = [0, DAY - 1, DAY + 60, DAY + 301, 8 * DAY, 20 * DAY, 100 * DAY, 200 * DAY, 500 * DAY];
    const deps = storeWith(
      ...ages.map((age) => due(`a${age}`, -age)),
      due('delayed by its producer', 3 * DAY),
    );
    const counts = await new RateLimitedCounter(clock).count(progressive, deps, hasTime);
    expect(counts?.counts).toMatchObject({ pending: 10, dead: 0, delayed: 1 });
    expect(counts?.counts.ages?.map(({ count }) => count)).toEqual([2, 2, 1, 1, 1, 1, 1]);
  });

  it('are repeated after as many seconds as they cost read units, and say their age until then', async () => {
    let wall = NOW;
    const deps = storeWith(...Array.from({ length: 4_000 }, (_, i) => due(`r${i}`, -i)));
    const counts = new RateLimitedCounter({ ...clock, wall: () => wall });
    expect(await counts.count(perRecord, deps, hasTime)).toMatchObject({
      counts: { pending: 4_000 },
      isOld: false,
    });
    for (let i = 0; i < 100; i++) deps.store.put(due(`more${i}`, -i));
    wall += 39_000;
    expect(await counts.count(perRecord, deps, hasTime)).toMatchObject({
      counts: { pending: 4_000 },
      at: at(0),
      isOld: true,
    });
    wall += 2_000;
    expect(await counts.count(perRecord, deps, hasTime)).toMatchObject({
      counts: { pending: 4_100 },
      isOld: false,
    });
  });

  it('are repeated by the backlog’s time, on a faster clock', async () => {
    let wall = NOW;
    const deps = storeWith(...Array.from({ length: 4_000 }, (_, i) => due(`r${i}`, -i)));
    const counts = new RateLimitedCounter({ ...clock, wall: () => wall, speed: 60 });
    await counts.count(perRecord, deps, hasTime);
    wall += 600;
    expect(await counts.count(perRecord, deps, hasTime)).toMatchObject({ isOld: true });
    wall += 100;
    expect(await counts.count(perRecord, deps, hasTime)).toMatchObject({ isOld: false });
  });

  it('are left out where there is no time for them, not halved', async () => {
    const deps = storeWith(due('a', -30));
    expect(await new RateLimitedCounter(clock).count(perRecord, deps, () => false)).toBeUndefined();
    expect(await new RateLimitedCounter(clock).count(progressive, deps, () => false)).toBeUndefined();
  });
});

it('on DynamoDB, reads the same, page by page', async () => {
  const dynamoDb = await startDynamoDb();
  const { store, put, close } = await dynamoDbUnderTest(dynamoDb.endpoint);
  try {
    for (const [i, seconds] of [-700, -30, 60].entries())
      await put(due(`r${i}`, seconds, { insertedAt: at(seconds) }));
    await put(due('d', -9, { status: 'DEAD', lane: 'orders/dead' }));
    const deps = { store, now: NOW };
    expect(await oldestDueAge(perRecord, deps)).toBe(700);
    expect(await oldestDueAge(progressive, deps)).toBe(400);
    expect(await new RateLimitedCounter(clock).count(perRecord, deps, () => true)).toMatchObject({
      counts: { pending: 3, due: { now: 2 }, dead: 1 },
    });
  } finally {
    await close();
    await dynamoDb.stop();
  }
});
