import { describe, expect, it } from 'vitest';
import { hashOfKey } from '../../src/record/busy-keys.js';
import { intercepted } from '../../src/store/bounded-store.js';
import type { DueQuery } from '../../src/store/store.js';
import { SharedLane, type WaitingRecords } from '../../src/worker/guards/shared-lane.js';
import type { Process } from '../../src/worker/index.js';
import { PageTurns } from '../../src/worker/page-turns.js';
import { FAIR, FairQueue } from './fair-queue.js';
import { fail, type RunChoices, START, succeed } from './harness.js';

const KEYS = Array.from({ length: 24 }, (_, i) => `key ${i}`);
const SLOW = { ...FAIR, attemptsPerSecondPerKey: 0.1 } as const;

/** A queue in which all lanes for keys are taken, with so many records of the key `a` in one of them. */
async function sharedQueue(ofA: number): Promise<FairQueue> {
  const harness = new FairQueue();
  await harness.noteKeys(KEYS);
  for (let i = 0; i < ofA; i++) {
    const dueAt = new Date(START - 60_000 + i).toISOString();
    harness.put(`a${i}`, { lane: 'q#20', key: 'a', dueAt });
  }
  await harness.pass(1);
  return harness;
}

/** Seconds at which the attempts of each key began. */
function startsOf(harness: FairQueue, seconds = 0) {
  const starts: Record<string, number[]> = {};
  const order: string[] = [];
  const process: Process = async ({ id, key = '' }) => {
    order.push(id);
    starts[key] = [...(starts[key] ?? []), harness.seconds()];
    await harness.sleep(seconds);
  };
  return { starts, order, process };
}

/** A store that counts the queries of one lane. */
function countedStore(harness: FairQueue, lane: string) {
  let count = 0;
  const store = intercepted(harness.store, (name, call, [query]) => {
    if (name === 'pages.query' && (query as DueQuery).lane === lane) count++;
    return call();
  });
  return { store, queries: () => count };
}

describe('a lane that keys share', () => {
  it('is left at once where the next permit comes later than in a minute, and its other keys have had their turns', async () => {
    const harness = await sharedQueue(150);
    harness.putMany(1, 'b', 'q#20');
    const { starts, process } = startsOf(harness);
    const summary = await harness.run(process, { ...FAIR, attemptsPerSecondPerKey: 1 / 300 });
    expect(starts).toEqual({ a: [1], b: [1] });
    expect(summary).toMatchObject({ ended: 'keyLimited', leftOver: 149 });
    expect(harness.seconds()).toBeLessThanOrEqual(2);
  });

  it('is drained again for a permit that comes within a minute, and finds at once what has come meanwhile', async () => {
    const harness = await sharedQueue(5);
    const { starts, process } = startsOf(harness);
    const run = harness.start(process, { ...FAIR, attemptsPerSecondPerKey: 1 / 50 });
    await harness.pass(20);
    harness.putMany(1, 'b', 'q#20');
    expect(await harness.time.until(run)).toMatchObject({ succeeded: 6, ended: 'drained', leftOver: 0 });
    expect(starts.a).toEqual([1, 51, 101, 151, 201]);
    expect(starts.b?.[0]).toBeLessThanOrEqual(33);
  });

  it('is drained at the full rate of each key, where that is high', async () => {
    const harness = await sharedQueue(400);
    harness.putMany(100, 'b', 'q#20');
    const { starts, order, process } = startsOf(harness, 0.1);
    let read = 0;
    const store = intercepted(harness.store, (name, call, [ids]) => {
      if (name === 'pages.read') read += (ids as readonly string[]).length;
      return call();
    });
    expect(await harness.run(process, { ...FAIR, attemptsPerSecondPerKey: 5, store })).toMatchObject({
      succeeded: 500,
      ended: 'drained',
      leftOver: 0,
    });
    // Records begin in the order of their due times.
    const ofA = order.filter((id) => id.startsWith('a'));
    expect(ofA).toEqual(Array.from({ length: 400 }, (_, i) => `a${i}`));
    // The pile once, and again those whose turn it is.
    expect(read).toBeLessThanOrEqual(1_000);
    // 400 attempts take 80 s, and each pass of ten seconds a pause of half a second.
    expect(Math.max(...(starts.a ?? []))).toBeLessThanOrEqual(86);
    expect(Math.max(...(starts.b ?? []))).toBeLessThanOrEqual(36);
  });

  it('is left where other runs have all slots, after its other keys have had their turns', async () => {
    const harness = await sharedQueue(120);
    harness.putMany(2, 'b', 'q#20');
    const now = harness.clock.wall();
    const wanted = new Map([[hashOfKey('a'), 1]]);
    await harness.store.keySlots.take('q', { run: 'other', wanted, most: 1, now, until: now + 900_000 });
    const { starts, process } = startsOf(harness, 1);
    const summary = await harness.run(process, { ...FAIR, concurrencyPerKey: 1 });
    expect(starts).toEqual({ b: [11, 12.5] });
    expect(summary).toMatchObject({ ended: 'keyLimited', leftOver: 120 });
    expect(harness.seconds()).toBeLessThanOrEqual(30);
  });

  it('has a key attempted whose slots other runs have left, while its other keys go on', async () => {
    const harness = await sharedQueue(3);
    harness.putMany(200, 'b', 'q#20');
    const now = harness.clock.wall();
    const wanted = new Map([[hashOfKey('a'), 1]]);
    await harness.store.keySlots.take('q', { run: 'other', wanted, most: 1, now, until: now + 900_000 });
    harness.time.after(30_000, () => void harness.store.keySlots.release('q', 'other'));
    const { starts, process } = startsOf(harness, 1);
    const summary = await harness.run(process, { ...FAIR, concurrencyPerKey: 1 });
    expect(starts.a?.[0]).toBeLessThanOrEqual(90);
    expect(summary).toMatchObject({ succeeded: 203, leftOver: 0, ended: 'drained' });
  });

  it('is not drained again at once where an open breaker puts off what is left', async () => {
    const harness = await sharedQueue(1_000);
    const { store, queries } = countedStore(harness, 'q#20');
    const breaker = { minimumAttempts: 2, failureThreshold: 0.5 };
    const destination = ({ key = '' }) => key;
    await harness.run(fail, { ...SLOW, breaker, destination, store });
    expect(queries()).toBeLessThanOrEqual(500);
  });

  it('has whole pages read where a run may attempt few records', async () => {
    const harness = await sharedQueue(2_000);
    let pages = 0;
    const store = intercepted(harness.store, (name, call) => {
      if (name === 'pages.read') pages++;
      return call();
    });
    const summary = await harness.run(succeed, { ...SLOW, maxRecords: 3, store });
    expect(summary).toMatchObject({ succeeded: 3, ended: 'maxRecords', leftOver: 1_997 });
    expect(pages).toBeLessThanOrEqual(50);
  });

  it('counts each record once that it leaves, in whatever number of passes', async () => {
    const breaker = { minimumAttempts: 2, failureThreshold: 0.5 };
    const destination = ({ key = '' }) => key;
    const lastError = { name: 'WorkerLost', message: 'gone', at: '', attempt: 1 };
    const harness = await sharedQueue(30);
    harness.putMany(20, 'b', 'q#20');
    for (const id of ['s0', 's1', 's2']) harness.put(id, { lane: 'q#20', key: 'a', attempts: 1, lastError });
    const process: Process = (record, context) => (record.key === 'b' ? fail(record, context) : undefined);
    const summary = await harness.run(process, { ...SLOW, breaker, destination });
    const { NEW: left = 0 } = harness.statuses();
    expect(left).toBeGreaterThan(10);
    expect(summary.leftOver).toBe(left);
  });

  it('is no such lane before all lanes are taken: its pages are read one after the other', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(KEYS.slice(0, 23));
    for (let i = 0; i < 30; i++) harness.put(`a${i}`, { lane: 'q#20', key: 'a' });
    const { store, queries } = countedStore(harness, 'q#20');
    const { starts, process } = startsOf(harness);
    await harness.run(process, { ...SLOW, store });
    expect(starts.a).toHaveLength(27);
    expect(queries()).toBeLessThanOrEqual(4);
  });

  it.each<[string, RunChoices]>([
    ['the process is to end', {}],
    ['time is short', { deadlineSeconds: 75 }],
    ['time is short for a wait', { deadlineSeconds: 75, attemptTimeout: 1 }],
  ])('is left where %s', async (why, choices) => {
    const harness = await sharedQueue(30);
    const stop = new AbortController();
    const { process } = startsOf(harness);
    const run = harness.start(process, { ...SLOW, ...choices, stop: stop.signal });
    await harness.pass(25);
    if (why.startsWith('the process')) stop.abort('the process ends');
    const before = harness.seconds();
    await harness.time.until(run);
    expect(harness.seconds() - before).toBeLessThanOrEqual(why.startsWith('the process') ? 0 : 50);
    expect(harness.seconds()).toBeLessThanOrEqual(75);
    await harness.pass(5);
    harness.putMany(1, 'b', 'q#20');
    // Nothing holds the lane.
    expect(await harness.run(succeed, FAIR)).toMatchObject({ ended: 'drained' });
    expect(Object.keys(harness.statuses())).toEqual(['SUCCESS']);
  });

  it('waits in each turn where queues take turns, and does not ask the store again and again', async () => {
    const harness = await sharedQueue(6);
    let calls = 0;
    const store = intercepted(harness.store, (_, call) => {
      if (++calls > 2_000) throw new Error('asks again and again');
      return call();
    });
    const own = new PageTurns(new Map([['q', 1]]), () => 0.5).of('q');
    const rests: number[] = [];
    const turns = {
      ...own,
      rest: () => {
        rests.push(harness.seconds());
        own.rest();
      },
    };
    const { starts, process } = startsOf(harness);
    await harness.run(process, { ...FAIR, attemptsPerSecondPerKey: 0.25, turns, store });
    expect(starts.a).toEqual([1, 5, 9, 13, 17, 21]);
    expect(calls).toBeLessThanOrEqual(300);
    // Other queues have their turns between two passes.
    expect(rests.filter((at) => at > 5 && at < 20)).not.toEqual([]);
  });

  it('has records that are to be attempted alone do so between two passes', async () => {
    const harness = await sharedQueue(40);
    const lastError = { name: 'WorkerLost', message: 'gone', at: '', attempt: 1 };
    harness.put('s0', { lane: 'q#20', key: 's', attempts: 1, lastError });
    const { starts, process } = startsOf(harness);
    await harness.run(process, SLOW);
    expect(starts.s?.[0]).toBeLessThanOrEqual(40);
    expect(starts.a?.length).toBeGreaterThanOrEqual(25);
  });
});

describe('the records of such a lane that wait', () => {
  const named = (...ids: string[]) => ids.map((id) => ({ id, dueAt: '2026-03-01T00:00:00.000Z' }));
  const idsOf = (page: readonly { readonly id: string }[]) => page.map(({ id }) => id);

  function laneOf(...ids: string[]) {
    const remembered: WaitingRecords = new Map();
    const lane = new SharedLane(remembered);
    for (const one of named(...ids)) lane.leave(one, one.id.slice(0, 1), 1_000);
    return { lane, remembered };
  }

  it('are not read again in the same pass, and in the next one as many as may start', () => {
    const { lane } = laneOf('a1', 'a2', 'a3', 'b1');
    const page = named('a1', 'a2', 'a3', 'b1', 'c1');
    expect(idsOf(lane.toRead(page, 5_000, 2))).toEqual(['c1']);
    lane.beginPass();
    expect(idsOf(lane.toRead(page, 5_000, 2))).toEqual(['a1', 'a2', 'b1', 'c1']);
    expect(lane.left).toBe(1);
  });

  it('are not read while none of their key may start', () => {
    const { lane } = laneOf('a1', 'b1');
    lane.beginPass();
    expect(idsOf(lane.toRead(named('a1', 'c1'), 999, 2))).toEqual(['c1']);
    expect(lane.nextAt).toBe(1_000);
  });

  it('that were read, and are named again, do not take the turn of others in each pass', () => {
    const { lane } = laneOf('a1', 'a2');
    lane.beginPass();
    expect(idsOf(lane.toRead(named('a1', 'a2'), 5_000, 1))).toEqual(['a1']);
    lane.beginPass();
    expect(idsOf(lane.toRead(named('a1', 'a2'), 5_000, 1))).toEqual(['a1', 'a2']);
  });

  it('are others when they come due at another time', () => {
    const { lane } = laneOf('a1');
    expect(lane.toRead([{ id: 'a1', dueAt: '2026-03-01T00:01:00.000Z' }], 0, 1)).toHaveLength(1);
  });

  it('are all looked at again each minute, and not in the passes between', () => {
    const { lane } = laneOf('a1');
    lane.beginPass(0);
    const readAt = (now: number) => {
      const isRead = lane.toRead(named('a1'), 999, 1).length > 0;
      if (isRead) for (const one of named('a1')) lane.leave(one, 'a', 1_000);
      lane.beginPass(now);
      return isRead;
    };
    expect([60_000, 61_000, 119_000, 120_000, 121_000].map(readAt)).toEqual([
      false,
      true,
      false,
      false,
      true,
    ]);
  });

  it('are remembered up to a number', () => {
    const { lane, remembered } = laneOf();
    for (let i = 0; i < 50_010; i++) lane.leave({ id: `a${i}`, dueAt: 'x' }, 'a', 0);
    expect(remembered.size).toBe(50_000);
    expect(lane.left).toBe(50_010);
  });
});
