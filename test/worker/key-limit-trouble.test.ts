import { describe, expect, it } from 'vitest';
import { hashOfKey } from '../../src/record/busy-keys.js';
import { type BacklogRecord, WORKER_LOST } from '../../src/record/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { StoreUnavailableError } from '../../src/store/errors.js';
import type { BacklogStore } from '../../src/store/index.js';
import { Gate } from '../../src/worker/guards/gate.js';
import { KeyLimits } from '../../src/worker/guards/key-limit.js';
import { KeySlots } from '../../src/worker/guards/key-slots.js';
import { PageTurns } from '../../src/worker/page-turns.js';
import { seededRandom } from '../simulation/random.js';
import { FAIR, FairQueue } from './fair-queue.js';
import { START, succeed } from './harness.js';

const ONE = { ...FAIR, concurrencyPerKey: 1 } as const;
const LOST = { name: WORKER_LOST, message: 'lost', at: new Date(START).toISOString() };
const [A, B] = [hashOfKey('a'), hashOfKey('b')];

/** The dependencies of slots of keys, with one attempt of each key at once. */
function depsOf(harness: FairQueue, store: BacklogStore, attemptTimeout = 30) {
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const { clock } = harness;
  return { queue: 'q', perKey: 1, attemptTimeout, store, clock, random: Math.random, logger };
}

/** A store whose answers to requests for slots can be lost, before they take effect or after that. */
function unsteady(harness: FairQueue) {
  const state: { trouble?: 'before' | 'after' | 'outrun' | undefined } = {};
  const store = intercepted(harness.store, async (name, call) => {
    if (name !== 'keySlots.take') return call();
    if (state.trouble === 'before') throw new StoreUnavailableError('no answer');
    if (state.trouble === 'outrun') return undefined;
    const answer = await call();
    if (state.trouble === 'after') throw new StoreUnavailableError('no answer');
    return answer;
  });
  return { state, store };
}

/** Another run has the slots of these keys, for long. */
async function otherHas(harness: FairQueue, ...keys: readonly string[]): Promise<void> {
  const now = harness.clock.wall();
  const wanted = new Map(keys.map((key) => [hashOfKey(key), 1]));
  await harness.store.keySlots.take('q', { run: 'other', wanted, most: 1, now, until: now + 900_000 });
}

/** Tells whether another run gets a slot of a key, without keeping it. */
async function isFree(harness: FairQueue, key: string): Promise<boolean> {
  const now = harness.clock.wall();
  const ask = { run: 'looks', wanted: new Map([[key, 1]]), most: 1, now: now - 5_000, until: now + 1_000 };
  const slots = await harness.store.keySlots.take('q', ask);
  await harness.store.keySlots.release('q', 'looks');
  return slots?.size === 1;
}

describe('slots of a run', () => {
  it('under attempts that go on are renewed as soon as the store answers, although they could not be in time', async () => {
    const harness = new FairQueue();
    const { state, store } = unsteady(harness);
    const slots = new KeySlots(depsOf(harness, store, 60));
    slots.need(A, 1);
    await slots.take();
    expect(slots.tryUse(A)).toBe(true);
    slots.need(A, -1);
    await harness.pass(25);
    state.trouble = 'before';
    await harness.pass(12);
    slots.need(B, 1);
    await slots.take();
    slots.need(B, -1);
    state.trouble = undefined;
    await harness.pass(45);
    expect(await isFree(harness, A)).toBe(false);
    slots.giveBack(A);
    await harness.time.until(slots.close());
    expect(await isFree(harness, A)).toBe(true);
  });

  it('that an ask without an answer may have brought are given back while the run goes on', async () => {
    const harness = new FairQueue();
    const { state, store } = unsteady(harness);
    const slots = new KeySlots(depsOf(harness, store));
    state.trouble = 'after';
    slots.need(A, 1);
    await slots.take();
    slots.need(A, -1);
    await harness.pass(3);
    expect(await isFree(harness, A)).toBe(true);
    slots.need(B, 1);
    await slots.take();
    slots.need(B, -1);
    state.trouble = undefined;
    await harness.pass(2.5);
    expect(await isFree(harness, B)).toBe(true);
    await harness.time.until(slots.close());
  });

  it('are given back by another request where the first had no answer', async () => {
    const harness = new FairQueue();
    const { state, store } = unsteady(harness);
    const slots = new KeySlots(depsOf(harness, store));
    slots.need(A, 1);
    await slots.take();
    state.trouble = 'before';
    slots.need(A, -1);
    await harness.pass(5);
    expect(await isFree(harness, A)).toBe(false);
    state.trouble = undefined;
    await harness.pass(2.5);
    expect(await isFree(harness, A)).toBe(true);
    await harness.time.until(slots.close());
  });

  it('that have run out are none, where other runs were always quicker than its asks', async () => {
    const harness = new FairQueue();
    const { state, store } = unsteady(harness);
    const slots = new KeySlots(depsOf(harness, store));
    slots.need(A, 1);
    await slots.take();
    state.trouble = 'outrun';
    await harness.pass(36);
    expect(slots.covers()).toBe(false);
    await slots.take();
    expect(slots.covers()).toBe(true);
    expect(slots.tryUse(A)).toBe(false);
    await harness.time.until(slots.close());
    expect(await isFree(harness, A)).toBe(true);
  });
});

describe('an attempt', () => {
  it('does not begin with a slot that has run out while the attempt waited for other guards', async () => {
    const harness = new FairQueue();
    const { state, store } = unsteady(harness);
    const options = {
      concurrencyPerKey: 1,
      attemptsPerSecondPerKey: undefined,
      latestStart: START + 300_000,
    };
    const deps = { ...depsOf(harness, store), ...options, busyKeys: undefined, stop: undefined };
    const limits = new KeyLimits(deps);
    const [limit, other] = [limits.of(undefined, undefined), limits.of(undefined, undefined)];
    const work = (id: string) => ({
      record: {
        id,
        key: id[0],
        queue: 'q',
        lane: 'q',
        dueAt: new Date(START).toISOString(),
      } as BacklogRecord,
    });
    const gate = new Gate([limit, { enter: () => harness.sleep(60).then(() => ({})) }], harness.clock);
    const turn = { attemptsLeft: 1, mayBegin: () => true };
    const answers: unknown[] = [];
    const begun = limit.begin(
      [work('a1')],
      async (some) => {
        for (const { record } of some) answers.push(await gate.enter(record, turn));
        return { late: [], deferred: some };
      },
      () => true,
    );
    await harness.pass(1);
    state.trouble = 'before';
    await harness.pass(40);
    // Another lane of the run asks meanwhile.
    const late = other.begin(
      [work('b1')],
      async (some) => ({ late: some, deferred: [] }),
      () => true,
    );
    await harness.time.until(late);
    await harness.time.until(begun);
    expect(answers).toEqual(['deferred']);
    await harness.time.until(limits.close());
  });
});

describe('a lane of busy keys', () => {
  it('is drained to its end, although no record of its first page is to be attempted', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(30, 'a', 'q#31');
    let isRead = false;
    let skipped = 0;
    const store = intercepted(harness.store, async (name, call) => {
      const answer = await call();
      const { records = [] } = (answer ?? {}) as { readonly records?: readonly BacklogRecord[] };
      if (name !== 'pages.read' || isRead || records.length === 0) return answer;
      isRead = true;
      skipped = records.length;
      // Removed since the index was queried.
      return { ...(answer as object), records: [] };
    });
    const summary = await harness.run(succeed, { ...ONE, store });
    expect(skipped).toBeGreaterThan(0);
    expect(summary).toMatchObject({ ended: 'drained', succeeded: 30 - skipped, skipped });
  });

  it('has its suspects attempted, where it holds no other records', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    for (const id of ['a0', 'a1']) harness.put(id, { lane: 'q#31', key: 'a', attempts: 1, lastError: LOST });
    expect(await harness.run(succeed, ONE)).toMatchObject({ ended: 'drained', succeeded: 2 });
  });

  it('has its other keys attempted in each run, although one at its limit has a suspect', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.put('a0', { lane: 'q#31', key: 'a', attempts: 1, lastError: LOST });
    await otherHas(harness, 'a');
    for (const ids of [
      ['b0', 'b1'],
      ['b2', 'b3'],
    ]) {
      for (const id of ids) harness.put(id, { lane: 'q#31', key: 'b' });
      expect(await harness.run(succeed, ONE)).toMatchObject({ ended: 'keyLimited', succeeded: 2 });
      await harness.pass(60);
    }
    await harness.store.keySlots.release('q', 'other');
    expect(await harness.run(succeed, ONE)).toMatchObject({ ended: 'drained', succeeded: 1 });
  });

  it('that waits for slots of other runs does not keep another such lane waiting until the deadline', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a', 'b']);
    harness.putMany(5, 'a', 'q#31');
    harness.putMany(2, 'b', 'q#30');
    await otherHas(harness, 'a');
    // Requests take their time, so that the lanes do not end at the same moment.
    const store = intercepted(harness.store, (_, call) => harness.sleep(0.02).then(call));
    const run = harness.start(() => harness.sleep(3), { ...ONE, store });
    await harness.pass(7);
    await harness.store.keySlots.release('q', 'other');
    await otherHas(harness, 'a', 'b');
    harness.put('b2', { lane: 'q#30', key: 'b' });
    expect(await harness.time.until(run)).toMatchObject({ ended: 'keyLimited', succeeded: 2 });
    expect(harness.seconds()).toBeLessThan(45);
  });
});

describe('a run', () => {
  it('that is told to stop does not wait for a slot any more', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(5, 'a', 'q#31');
    await otherHas(harness, 'a');
    const stop = new AbortController();
    const run = harness.start(succeed, { ...ONE, stop: stop.signal });
    await harness.pass(4.1);
    stop.abort('the process ends');
    expect(await harness.time.until(run)).toMatchObject({ ended: 'stopped', leftOver: 5 });
    expect(harness.seconds()).toBe(4.1);
  });

  it('on arrival attempts records whose slots are free, however long those before them took', async () => {
    const harness = new FairQueue();
    const ids = ['a', 'b', 'c'].flatMap((key) => harness.bare(2, key));
    const summary = await harness.run(() => harness.sleep(2.5), {
      ...ONE,
      concurrency: 2,
      arrivals: { batch: 'b', ids },
    });
    expect(summary).toMatchObject({ ended: 'drained', succeeded: 6 });
    expect(await harness.noted()).toEqual([]);
    expect(harness.seconds()).toBe(7.5);
  });
});

describe('a queue that takes turns with others', () => {
  it.each([
    { slots: 'another run has', isOther: true, most: 4 },
    { slots: 'its own attempts have, one after the other', isOther: false, most: 15 },
  ])('does not keep them waiting for slots that $slots', async ({ isOther, most }) => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(20, 'a', 'q#31');
    if (isOther) await otherHas(harness, 'a');
    for (let i = 0; i < 20; i++) harness.put(`r${i}`, { lane: 'r', queue: 'r' });
    const weights = new Map(['q', 'r'].map((queue) => [queue, 1]));
    const turns = new PageTurns(weights, seededRandom(1));
    const ofQ = turns.of('q');
    const q = harness.start(() => harness.sleep(5), { ...ONE, turns: ofQ }).finally(() => ofQ.rest());
    await harness.pass(0.1);
    const ends: number[] = [];
    const process = () => void ends.push(harness.seconds());
    await harness.time.until(harness.start(process, { queue: 'r', turns: turns.of('r') }));
    expect(Math.max(...ends)).toBeLessThan(most);
    turns.of('r').rest();
    expect((await harness.time.until(q)).succeeded).toBe(isOther ? 0 : 20);
  });
});
