import { describe, expect, it } from 'vitest';
import { hashOfKey } from '../../src/record/busy-keys.js';
import type { BacklogRecord } from '../../src/record/index.js';
import { KeyLimits } from '../../src/worker/guards/key-limit.js';
import type { Arrivals } from '../../src/worker/options.js';
import type { Work } from '../../src/worker/work.js';
import { FairQueue } from './fair-queue.js';
import { START } from './harness.js';

const NONE = { late: [], deferred: [] };

/** The limit of one lane of a fair queue, or of a batch on arrival, with one attempt for each key. */
function limitOf(harness: FairQueue, arrivals?: Arrivals) {
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const { store, clock } = harness;
  const busyKeys = harness.keys();
  const perKey = { concurrencyPerKey: 1, attemptsPerSecondPerKey: undefined };
  const times = { attemptTimeout: 30, latestStart: START + 300_000 };
  const deps = { queue: 'q', ...perKey, ...times, store, clock, random: Math.random, logger };
  const limits = new KeyLimits({ ...deps, busyKeys, stop: undefined });
  return { limits, limit: limits.of(arrivals, undefined), busyKeys };
}

function workOf(id: string, dueInMs = 0): Work {
  const dueAt = new Date(START + dueInMs).toISOString();
  return { record: { id, key: id[0], lane: 'q', dueAt, queue: 'q' } as BacklogRecord };
}

function idsOf(works: readonly Work[]): string[] {
  return works.map(({ record }) => record.id);
}

/** Tells whether another run gets a slot of a key, without keeping it. */
async function isFree(harness: FairQueue, key: string): Promise<boolean> {
  const now = harness.clock.wall();
  const ask = { run: 'looks', wanted: new Map([[hashOfKey(key), 1]]), most: 1, now, until: now + 1_000 };
  const slots = await harness.store.keySlots.take('q', ask);
  await harness.store.keySlots.release('q', 'looks');
  return slots?.size === 1;
}

describe('the records of a page', () => {
  it('that had no time hold no slot any more', async () => {
    const harness = new FairQueue();
    const { limits, limit } = limitOf(harness);
    const page = [workOf('a1'), workOf('b1')];
    const begun = limit.begin(
      page,
      async (some) => ({ late: some, deferred: [] }),
      () => true,
    );
    expect(idsOf((await harness.time.until(begun)).late)).toEqual(['a1', 'b1']);
    await harness.pass(2);
    expect([await isFree(harness, 'a'), await isFree(harness, 'b')]).toEqual([true, true]);
    await harness.time.until(limits.close());
  });

  it('go to the lane of their key if another lane of the run has just used its slot', async () => {
    const harness = new FairQueue();
    const { limits, limit } = limitOf(harness);
    const other = limits.of(undefined, undefined);
    const page = [workOf('a1')];
    const changed: string[] = [];
    const begun = limit.begin(
      page,
      async (some) => {
        if (some.some(({ change }) => change)) changed.push(...idsOf(some));
        else if (some.length > 0) {
          other.enter(some[0]?.record as BacklogRecord);
          expect(limit.enter(some[0]?.record as BacklogRecord)).toBe('deferred');
          return { late: [], deferred: some };
        }
        return NONE;
      },
      () => true,
    );
    expect(await harness.time.until(begun)).toEqual(NONE);
    expect(changed).toEqual(['a1']);
    await harness.time.until(limits.close());
  });

  it('are attempted if the slot of their key is free again, however long those before them took to begin', async () => {
    const harness = new FairQueue();
    const { limits, limit } = limitOf(harness);
    const begun: string[] = [];
    const answer = limit.begin(
      [workOf('a1'), workOf('a2')],
      async (some) => {
        for (const { record, change } of some) {
          begun.push(change ? `moved ${record.id}` : record.id);
          const admission = limit.enter(record);
          if (typeof admission !== 'string') admission.ended?.();
        }
        return NONE;
      },
      () => true,
    );
    expect(await harness.time.until(answer)).toEqual(NONE);
    expect(begun).toEqual(['a1', 'a2']);
    await harness.time.until(limits.close());
  });

  it.each<[string, Arrivals | undefined]>([
    ['in a lane of the queue', undefined],
    ['on arrival', { batch: 'b', ids: ['a1'] }],
  ])('are changed without an attempt whatever others of their key do, %s', async (_, arrivals) => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(1, 'a', 'q#31');
    const now = harness.clock.wall();
    const wanted = new Map([[hashOfKey('a'), 1]]);
    await harness.store.keySlots.take('q', { run: 'other', wanted, most: 1, now, until: now + 60_000 });
    const { limits, limit, busyKeys } = limitOf(harness, arrivals);
    await busyKeys.note([]);
    const change = { set: { status: 'DEAD' }, remove: [] } as const;
    const page: Work[] = [{ ...workOf('a1'), change }];
    const begun: Work[] = [];
    const answer = limit.begin(
      page,
      async (some) => {
        begun.push(...some);
        return NONE;
      },
      () => true,
    );
    expect(await harness.time.until(answer)).toEqual(NONE);
    expect(begun).toEqual(page);
    expect(harness.seconds()).toBe(0);
    await harness.time.until(limits.close());
  });

  it('that are probed ahead of their time stay where they are, if their key is at its limit', async () => {
    const harness = new FairQueue();
    const { limits, limit } = limitOf(harness);
    const now = harness.clock.wall();
    const wanted = new Map([[hashOfKey('a'), 1]]);
    await harness.store.keySlots.take('q', { run: 'other', wanted, most: 1, now, until: now + 60_000 });
    const begun: string[] = [];
    const answer = limit.begin(
      [workOf('a1', 60_000)],
      async (some) => {
        begun.push(...idsOf(some));
        return NONE;
      },
      () => true,
    );
    expect(idsOf((await harness.time.until(answer)).deferred)).toEqual(['a1']);
    expect(begun).toEqual([]);
    await harness.time.until(limits.close());
  });
});

describe('a record on arrival', () => {
  it('waits for a moment for the slot of another run, and stays out of the lane of its key', async () => {
    const harness = new FairQueue();
    const ids = harness.bare(2, 'a');
    const process = () => harness.sleep(1);
    const choices = { fairness: true, concurrencyPerKey: 1 };
    const runs = ids.map((id) => harness.start(process, { ...choices, arrivals: { batch: id, ids: [id] } }));
    for (const summary of await harness.time.until(Promise.all(runs)))
      expect(summary).toMatchObject({ ended: 'drained', succeeded: 1 });
    expect(harness.lanesInUse()).toEqual({ undefined: 2 });
    expect(await harness.noted()).toEqual([]);
    expect(harness.seconds()).toBeLessThanOrEqual(2.5);
  });
});

describe('a run that is told to stop', () => {
  it('does so within a second, where other runs have the slots', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(5, 'a', 'q#31');
    const now = harness.clock.wall();
    const wanted = new Map([[hashOfKey('a'), 1]]);
    await harness.store.keySlots.take('q', { run: 'other', wanted, most: 1, now, until: now + 900_000 });
    const stop = new AbortController();
    const choices = { fairness: true, concurrencyPerKey: 1, stop: stop.signal };
    const run = harness.start(() => {}, choices);
    await harness.pass(4);
    stop.abort('the process ends');
    expect(await harness.time.until(run)).toMatchObject({ ended: 'stopped', attempted: 0, leftOver: 5 });
    expect(harness.seconds()).toBeLessThanOrEqual(5);
  });
});
