import { describe, expect, it } from 'vitest';
import { BacklogClient, Cancel } from '../../src/index.js';
import { StoreUnavailableError } from '../../src/store/errors.js';
import type { Process } from '../../src/worker/index.js';
import { seededRandom } from '../simulation/random.js';
import { replacing } from '../simulation/replacing.js';
import { Harness, type RunChoices } from './harness.js';
import { at, untilAborted, worldToCancel } from './long-lived.js';

const MINUTES: RunChoices = { attemptTimeout: 120, concurrency: 1 };

/** A function with one record, `report`, and what cancels it. Its store counts the times at which that record is read alone. */
function functionToCancel() {
  const harness = new Harness();
  harness.put('report');
  const { store, clock } = harness;
  const client = new BacklogClient({ table: 'records', store, clock, random: seededRandom(2) });
  const reads: number[] = [];
  const trouble = { until: 0 };
  const counting = replacing(
    {
      records: {
        get: (id: string) => {
          reads.push(at(harness));
          if (at(harness) < trouble.until) throw new StoreUnavailableError('no answer');
          return store.records.get(id);
        },
      },
    },
    store,
  );
  const start = (process: Process, choices: RunChoices = {}) =>
    harness.start(process, { ...MINUTES, store: counting, ...choices });
  const cancel = () => client.cancel('report', { reason: 'withdrawn' });
  return { harness, start, cancel, reads, trouble };
}

/** Notes why and when its signal is aborted, and throws that. */
function noting(harness: Harness) {
  const notified: { reason: unknown; at: number }[] = [];
  const process = untilAborted((reason) => {
    notified.push({ reason, at: at(harness) });
    throw reason;
  });
  return { notified, process };
}

describe('an attempt in a function whose record is cancelled', () => {
  it.each<[string, RunChoices]>([
    ['by a rule', {}],
    ['on insertion', { arrivals: { batch: 'b', ids: ['report'] } }],
    ['at the shortest timeout with which it matters', { attemptTimeout: 31 }],
  ])('is notified within 30 seconds, %s: no failure, and no attempt follows', async (_, choices) => {
    const { harness, start, cancel } = functionToCancel();
    if (choices.arrivals) harness.put('report', { lane: undefined, dueAt: undefined });
    const { notified, process } = noting(harness);
    const run = start(process, choices);
    await harness.pass(3);
    expect(notified).toEqual([]);
    expect(await cancel()).toEqual({ id: 'report', cancelled: true });
    await harness.pass(26);
    expect(notified).toMatchObject([{ reason: { name: 'Cancel', message: 'withdrawn' }, at: 25 }]);
    expect(notified[0]?.reason).toBeInstanceOf(Cancel);
    await harness.pass(2);
    expect(await run).toMatchObject({ attempted: 1, failed: 0, snoozed: 0, dead: 0, unsettled: 1 });
    expect(harness.item('report')).toMatchObject({ status: 'DEAD', deadReason: 'cancelled: withdrawn' });
    expect(harness.failures).toEqual([]);
  });

  it('is notified at the latest look, too, and at the next one if DynamoDB does not answer', async () => {
    const { harness, start, cancel, reads, trouble } = functionToCancel();
    const { notified, process } = noting(harness);
    const run = start(process);
    await harness.pass(30);
    await cancel();
    trouble.until = 60;
    await harness.pass(50);
    expect(reads).toEqual([25, 50, 75]);
    expect(notified).toMatchObject([{ at: 75 }]);
    await harness.pass(10);
    expect(await run).toMatchObject({ failed: 0, unsettled: 1 });
  });

  it('is notified with the reason of a discard', async () => {
    const { harness, start } = functionToCancel();
    const { notified, process } = noting(harness);
    const run = start(process);
    await harness.pass(3);
    const discarded = { status: 'DEAD', lane: 'q/dead', deadReason: 'discarded: by phone', rev: 'other' };
    harness.store.put({ ...harness.item('report'), ...discarded } as never);
    await harness.pass(30);
    expect(notified).toMatchObject([{ reason: { name: 'Cancel', message: 'by phone' } }]);
    await run;
  });

  it('is not ended by another change of its record', async () => {
    const { harness, start } = functionToCancel();
    const { notified, process } = noting(harness);
    const run = start(process);
    await harness.pass(3);
    harness.store.put({ ...harness.item('report'), payload: { edited: true } } as never);
    await harness.pass(110);
    expect(notified).toEqual([]);
    await harness.pass(20);
    expect(notified).toMatchObject([{ at: 120, reason: { message: "the attempt's 120 s are up" } }]);
    await run;
  });
});

describe('the looks at the record of an attempt', () => {
  it.each<[string, number, RunChoices, readonly number[]]>([
    ['are none where attempts may take half a minute', 29, { attemptTimeout: 30 }, []],
    ['are none beside a limit either', 29, { attemptTimeout: 30, attemptsPerSecond: 10 }, []],
    ['are none during an attempt of seconds', 20, {}, []],
    ['are one each 25 seconds', 99, {}, [25, 50, 75]],
  ])('%s', async (_, seconds, choices, expected) => {
    const { harness, start, reads } = functionToCancel();
    const run = start(() => harness.sleep(seconds), choices);
    await harness.pass(110);
    expect(await run).toMatchObject({ succeeded: 1 });
    await harness.pass(100);
    expect(reads).toEqual(expected);
  });

  it('end with the time of an attempt that ignores its signal', async () => {
    const { harness, start, reads } = functionToCancel();
    const run = start(() => harness.sleep(3_600), { attemptTimeout: 60 });
    await harness.pass(1_000);
    expect(reads).toEqual([25, 50]);
    expect(await run).toMatchObject({ failed: 1 });
  });
});

it('an attempt that goes on without its run has its hold for that, and no looks', async () => {
  const { world, harness } = worldToCancel();
  const reads: string[] = [];
  const { records } = harness.store;
  const get = (id: string) => {
    reads.push(id);
    return records.get(id);
  };
  const store = replacing({ records: { get } }, harness.store);
  const run = harness.start(() => harness.sleep(100), { ...world.choices, store });
  await harness.pass(150);
  await run;
  expect(world.ended).toMatchObject([{ succeeded: 1 }]);
  expect(reads).toEqual([]);
});

it('an attempt of a worker that is cancelled in its first 30 seconds is notified then', async () => {
  const { world, harness, cancel } = worldToCancel();
  const { notified, process } = noting(harness);
  const run = world.harness.start(process, world.choices);
  await harness.pass(3);
  expect(await cancel()).toEqual({ id: 'report', cancelled: true });
  await harness.pass(32);
  expect(notified).toMatchObject([{ reason: { name: 'Cancel', message: 'withdrawn' }, at: 30 }]);
  expect(await run).toMatchObject({ failed: 0, unsettled: 1 });
  expect(harness.item('report')).toMatchObject({ status: 'DEAD', deadReason: 'cancelled: withdrawn' });
});
