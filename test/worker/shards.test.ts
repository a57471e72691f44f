import { describe, expect, it } from 'vitest';
import { laneFor, laneOf, lanesOf } from '../../src/record/index.js';
import { StoreThrottledError } from '../../src/store/errors.js';
import type { BacklogStore } from '../../src/store/index.js';
import type { Process } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { fail, Harness, START, succeed, YOUNG } from './harness.js';

const SHARDS = { shards: 4, lanes: lanesOf('q', 0, 4) };

/** A queue whose records are spread as its shards have them. */
function spread(count: number, shards: number): Harness {
  const harness = new Harness();
  for (let i = 0; i < count; i++) {
    const id = `r${i}`;
    harness.put(id, { lane: laneFor({ queue: 'q', id }, shards) });
  }
  return harness;
}

function lanesIn(harness: Harness): Record<string, number> {
  const lanes: Record<string, number> = {};
  for (const { lane } of harness.store.items()) lanes[String(lane)] = (lanes[String(lane)] ?? 0) + 1;
  return lanes;
}

describe('a queue with shards', () => {
  it('spreads ids evenly over its lanes, the first of which is that of a queue without shards', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 32_000; i++) {
      const lane = laneFor({ queue: 'q', id: `order-${i}` }, 32);
      counts.set(lane, (counts.get(lane) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual(lanesOf('q').sort());
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(5 * Math.sqrt(1000));
    expect(laneFor({ queue: 'q', id: 'any' })).toBe('q');
  });

  it('has them all attempted in one run, no more at once than a queue without', async () => {
    const harness = spread(200, 4);
    let [now, most] = [0, 0];
    const slow: Process = async () => {
      most = Math.max(most, ++now);
      await harness.sleep(0.1);
      now--;
    };
    const startedAt = harness.time.now;
    expect(await harness.run(slow, { ...SHARDS, concurrency: 8 })).toMatchObject({
      succeeded: 200,
      ended: 'drained',
    });
    expect(most).toBe(8);
    // Four lanes at once, two attempts in each: hardly longer than eight attempts in one.
    expect(harness.time.now - startedAt).toBeLessThan(200 * 12.5 * 1.4);
  });

  it('lends what the idle lanes leave to the busy one', async () => {
    const harness = new Harness();
    for (let i = 0; i < 100; i++) harness.put(`r${i}`, { lane: 'q#3' });
    const eight = { shards: 8, lanes: lanesOf('q', 0, 8), concurrency: 10 };
    const startedAt = harness.time.now;
    expect(await harness.run(() => harness.sleep(1), eight)).toMatchObject({ succeeded: 100 });
    // 100 s with its own share, a tenth of which is the least; its first page is as long as its share allows.
    expect((harness.time.now - startedAt) / 1000).toBeLessThanOrEqual(11);
  });

  it('lends what another lane leaves while it is at work itself', async () => {
    const harness = new Harness();
    for (let i = 0; i < 45; i++) harness.put(`r${i}`, { lane: 'q#1' });
    harness.put('long', { lane: 'q#2' });
    let last = 0;
    const process: Process = async ({ id }) => {
      await harness.sleep(id === 'long' ? 14 : 1);
      if (id !== 'long') last = (harness.time.now - START) / 1000;
    };
    const two = { shards: 4, lanes: lanesOf('q', 0, 4), concurrency: 10, attemptTimeout: 15 };
    expect(await harness.run(process, two)).toMatchObject({ succeeded: 46 });
    // Nine at a time, in pages of twenty: half of the ten, its own share, would take 9 s.
    expect(last).toBeLessThanOrEqual(7);
  });

  it('gives a lane its share as soon as those that have it end', async () => {
    const harness = new Harness();
    for (let i = 0; i < 400; i++) harness.put(`busy${i}`, { lane: 'q#1' });
    for (let i = 0; i < 4; i++) harness.put(`rare${i}`, { lane: 'q#2' });
    const ends = new Map<string, number>();
    const slow: Process = async ({ id }) => {
      await harness.sleep(id.startsWith('rare') ? 10 : 1);
      ends.set(id, (harness.time.now - START) / 1000);
    };
    const [now, most] = [new Set<string>(), { count: 0 }];
    const counted: Process = async (record, context) => {
      now.add(record.id);
      most.count = Math.max(most.count, now.size);
      await slow(record, context);
      now.delete(record.id);
    };
    const two = { shards: 4, lanes: lanesOf('q', 0, 4), concurrency: 4 };
    expect(await harness.run(counted, two)).toMatchObject({ succeeded: 404, ended: 'drained' });
    expect(most.count).toBe(4);
    // At most a second late for each of its turns; the busy lane has what is left meanwhile.
    const lastRare = Math.max(...[0, 1, 2, 3].map((i) => ends.get(`rare${i}`) ?? 0));
    expect(lastRare).toBeLessThanOrEqual(42);
    expect((harness.time.now - START) / 1000).toBeLessThan(120);
  });

  it('keeps one attempt for the other lanes where those of two ignore their signals', async () => {
    const harness = new Harness();
    for (let i = 0; i < 40; i++) harness.put(`stuck${i}`, { lane: i % 2 === 0 ? 'q#1' : 'q#3' });
    for (let i = 0; i < 20; i++) harness.put(`good${i}`, { lane: 'q#2' });
    const process: Process = ({ id }) => (id.startsWith('stuck') ? new Promise(() => {}) : harness.sleep(12));
    const four = { shards: 4, lanes: lanesOf('q', 0, 4), concurrency: 4, attemptTimeout: 15 };
    await harness.run(process, four);
    const good = harness.store.items().filter(({ id }) => String(id).startsWith('good'));
    expect(good.filter(({ status }) => status === 'SUCCESS')).toHaveLength(20);
  });

  it('counts an attempt that was given up with its lane until it ends', async () => {
    const harness = new Harness();
    harness.put('stuck', { lane: 'q' });
    for (let i = 0; i < 5; i++) harness.put(`good${i}`, { lane: 'q#1' });
    const underWay = new Set<string>();
    let most = 0;
    const process: Process = async ({ id }) => {
      underWay.add(id);
      most = Math.max(most, underWay.size);
      await harness.sleep(id === 'stuck' ? 200 : 1);
      underWay.delete(id);
    };
    const other = { holder: 'other', until: START + 900_000, ends: START + 900_000, ids: [], rev: 'other' };
    const isOver = () => harness.time.now > START + 20_000;
    const holdLease: BacklogStore['leases']['hold'] = async (lane, hold) =>
      lane.startsWith('q#1') || !isOver()
        ? harness.store.leases.hold(lane, hold)
        : { held: false, lease: { ...other, suspects: [], woken: false } };
    const store = replacing({ leases: { hold: holdLease } }, harness.store);
    const two = { shards: 2, lanes: lanesOf('q', 0, 2), concurrency: 1, attemptTimeout: 5, store };
    const summary = await harness.run(process, two);
    expect(summary).toMatchObject({ attempted: 6, succeeded: 5 });
    expect(most).toBe(1);
  });

  it('has them all attempted where fewer may be attempted at once than it has lanes', async () => {
    const harness = spread(40, 4);
    const summary = await harness.run(succeed, { ...SHARDS, concurrency: 2 });
    expect(summary).toMatchObject({ succeeded: 40, ended: 'drained' });
  });

  it('has a limit that all its lanes come to together', async () => {
    const harness = spread(200, 4);
    const summary = await harness.run(succeed, { ...SHARDS, maxRecords: 30 });
    expect(summary).toMatchObject({ attempted: 30, ended: 'maxRecords' });
  });

  it('keeps a record in its lane when it fails, and in that of its dead when it is given up', async () => {
    const harness = spread(40, 4);
    const before = lanesIn(harness);
    await harness.run(fail, SHARDS);
    expect(lanesIn(harness)).toEqual(before);
    await harness.pass(61);
    await harness.run(fail, { ...SHARDS, retry: { type: 'none' } });
    const dead = Object.fromEntries(Object.entries(before).map(([lane, count]) => [`${lane}/dead`, count]));
    expect(lanesIn(harness)).toEqual(dead);
    const listed: string[] = [];
    for await (const { id } of harness.store.records.list({ queue: 'q', status: 'DEAD' })) listed.push(id);
    expect(listed).toHaveLength(40);
  });

  it('gives what comes and fails its place in all of its lanes', async () => {
    const harness = new Harness();
    const ids = Array.from({ length: 40 }, (_, i) => `n${i}`);
    for (const id of ids) harness.store.put({ id, status: 'NEW', queue: 'q', payload: {} });
    await harness.run(fail, { shards: 4, arrivals: { batch: 'b', ids } });
    for (const { id, lane } of harness.store.items()) {
      expect(lane).toBe(laneFor({ queue: 'q', id: String(id) }, 4));
    }
    expect(Object.keys(lanesIn(harness)).sort()).toEqual(SHARDS.lanes);
  });

  it('of fewer than before has those moved that fail in the lanes of the others', async () => {
    const harness = spread(40, 8);
    const previous = { shards: 2, lanes: lanesOf('q', 0, 8) };
    expect(await harness.run(fail, previous)).toMatchObject({ failed: 40 });
    expect(Object.keys(lanesIn(harness)).sort()).toEqual(['q', 'q#1']);
    await harness.pass(61);
    const now = { shards: 2, lanes: lanesOf('q', 0, 2) };
    expect(await harness.run(succeed, now)).toMatchObject({ succeeded: 40 });
  });

  it('moves those to their queue that name another by now, without an attempt', async () => {
    const harness = new Harness();
    for (let i = 0; i < 20; i++) harness.put(String(i), { queue: 'r', lane: laneOf('q', 7) });
    const moved = await harness.run(fail, { shards: 2, lanes: lanesOf('q', 0, 8) });
    expect(moved).toMatchObject({ attempted: 0, skipped: 20 });
    expect(lanesIn(harness)).toEqual({ r: 20 });
    expect(await harness.run(succeed, { queue: 'r' })).toMatchObject({ succeeded: 20 });
  });

  it('of more than before goes on with those that stand in the lane it had', async () => {
    const harness = spread(40, 1);
    expect(await harness.run(succeed, SHARDS)).toMatchObject({ succeeded: 40 });
  });

  it('lets several runs have a part of its lanes each, at the same time', async () => {
    const harness = spread(200, 4);
    const slow: Process = () => harness.sleep(1);
    const runs = [0, 1].map((part) => {
      const lanes = SHARDS.lanes.filter((_, i) => i % 2 === part);
      return harness.start(slow, { shards: 4, lanes });
    });
    const [one, other] = await harness.time.until(Promise.all(runs));
    expect((one?.succeeded ?? 0) + (other?.succeeded ?? 0)).toBe(200);
    expect(one?.succeeded).toBeGreaterThan(50);
    expect(other?.succeeded).toBeGreaterThan(50);
  });

  it('goes on with the other lanes where one cannot be read, and tells', async () => {
    const harness = spread(80, 4);
    const query: BacklogStore['pages']['query'] = async (query) => {
      if (query.lane === 'q#2') throw new StoreThrottledError('Query: throttled');
      return harness.store.pages.query(query);
    };
    const store = replacing({ pages: { query } }, harness.store);
    const summary = await harness.run(succeed, { ...SHARDS, store });
    const left = harness.store.items().filter(({ lane }) => lane === 'q#2').length;
    expect(summary).toMatchObject({ succeeded: 80 - left, ended: 'storeError' });
    expect(left).toBeGreaterThan(10);
  });

  it('keeps one pace in all its lanes', async () => {
    const harness = spread(40, 4);
    const starts: number[] = [];
    await harness.run(() => void starts.push(harness.time.now), { ...SHARDS, attemptsPerSecond: 10 });
    expect(starts).toEqual(starts.map((_, i) => (starts[0] ?? 0) + i * 100));
  });

  it('may be progressive', async () => {
    const harness = spread(40, 4);
    expect(await harness.run(fail, { ...SHARDS, band: YOUNG })).toMatchObject({ failed: 40 });
    await harness.pass(300);
    expect(await harness.run(succeed, { ...SHARDS, band: YOUNG })).toMatchObject({ succeeded: 40 });
  });
});
