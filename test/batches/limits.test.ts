import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { Done } from '../../functions/index.js';
import type { ProcessBatch, RecordOutcome } from '../../src/batches/index.js';
import { Harness } from '../worker/harness.js';
import { worldToCancel } from '../worker/long-lived.js';
import { allSucceed, Calls, numbered } from './support.js';

function withRecords(count: number, attributes: (i: number) => Record<string, unknown> = () => ({})) {
  const harness = new Harness();
  const ids = numbered(count);
  for (const [i, id] of ids.entries()) harness.put(id, attributes(i));
  return { harness, ids, calls: new Calls(harness) };
}

const untilAborted: ProcessBatch = (_, { signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

describe('records in batches', () => {
  it('are attempted no more at once than all runs may together', async () => {
    const { harness, calls } = withRecords(30);
    const most = { concurrency: 20, globalConcurrency: 6 };
    expect(await harness.run(calls.process(allSucceed), most)).toMatchObject({ succeeded: 30 });
    expect(Math.max(...calls.sizes)).toBe(6);
  });

  it('are attempted as one key after the other permits', async () => {
    const { harness, calls } = withRecords(40, (i) => ({ key: i < 30 ? 'large' : 'small' }));
    const process = calls.process((records) => {
      expect(records.filter(({ key }) => key === 'large').length).toBeLessThanOrEqual(3);
      return { batchItemFailures: [] };
    });
    const summary = await harness.run(process, { concurrency: 20, concurrencyPerKey: 3, fairness: true });
    expect(summary.succeeded + summary.skipped + summary.leftOver).toBeGreaterThan(10);
    expect(summary.failed).toBe(0);
    expect(calls.ids.flat()).toHaveLength(summary.succeeded);
  });

  it('are counted by the breaker one by one: it opens after one call that fails', async () => {
    const { harness, calls } = withRecords(60);
    const process = calls.process(() => {
      throw new Error('HTTP 503');
    });
    const summary = await harness.run(process, { concurrency: 20, breaker: { minimumAttempts: 10 } });
    expect(summary).toMatchObject({ attempted: 20, ended: 'breakerOpen' });
    expect(calls.sizes).toEqual([20, 1, 1]);
  });

  it('fail by their own time limits where the call does not end, and no other call is made', async () => {
    const { harness, ids, calls } = withRecords(8);
    expect(await harness.run(calls.process(untilAborted), { attemptTimeout: 5 })).toMatchObject({
      failed: 8,
    });
    for (const id of ids) expect(harness.item(id)).toMatchObject({ lastError: { name: 'AttemptTimeout' } });
    expect(calls.sizes).toEqual([8]);
    expect(harness.warnings).toEqual([]);
  });

  it('fail by their time limits where the search does not end, and none of them is blamed', async () => {
    const { harness, calls } = withRecords(8);
    const process = calls.process((records, context) => {
      if (records.length > 1) throw new Error('HTTP 400');
      return untilAborted(records, context);
    });
    expect(await harness.run(process, { attemptTimeout: 5 })).toMatchObject({ failed: 8 });
    expect(calls.sizes).toEqual([8, 1]);
    expect(harness.warnings).toEqual([
      'a batch has failed as a whole, and two of its records are tried alone',
    ]);
  });

  it('fail by their time limits where the call ignores its signal', async () => {
    const { harness, ids, calls } = withRecords(4);
    const summary = await harness.run(
      calls.process(() => new Promise(() => {})),
      { attemptTimeout: 5 },
    );
    expect(summary).toMatchObject({ failed: 4 });
    for (const id of ids) expect(harness.item(id)).toMatchObject({ lastError: { name: 'AttemptTimeout' } });
  });

  it('are no failures where the process stops during a call', async () => {
    const { harness, ids, calls } = withRecords(8);
    const stop = new AbortController();
    const run = harness.start(calls.process(untilAborted), { stop: stop.signal });
    await harness.pass(1);
    stop.abort();
    expect(await harness.time.until(run)).toMatchObject({ failed: 0, snoozed: 8 });
    for (const id of ids) expect(harness.item(id)).not.toHaveProperty('failures');
    expect(calls.sizes).toEqual([8]);
  });

  it.each([
    ['an outcome', (promises: readonly Promise<never>[]) => Promise.allSettled(promises)],
    ['a promise', (promises: readonly Promise<never>[]) => promises],
  ])('are no failures where the process stops during a call that gives %s for each', async (_, result) => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    try {
      for (const maxWaitMs of [20, 5_000]) {
        const { harness, calls } = withRecords(8);
        const stop = new AbortController();
        const eachAborted: ProcessBatch = async (records, context) => {
          await Promise.resolve(untilAborted(records, context)).catch(() => {});
          return (await result(records.map(() => Promise.reject(new Error('aborted'))))) as RecordOutcome[];
        };
        const run = harness.start(calls.process(eachAborted, { maxWaitMs, maxRecords: 8 }), {
          stop: stop.signal,
        });
        await harness.pass(1);
        stop.abort();
        await harness.pass(0.2);
        await new Promise((resolve) => setImmediate(resolve));
        expect(await harness.time.until(run)).toMatchObject({ failed: 0, snoozed: 8 });
      }
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off('unhandledRejection', unhandled);
    }
  });

  it('are not called any more once the time of one of them is up', async () => {
    const { harness, calls } = withRecords(8);
    const aborted: boolean[] = [];
    const process = calls.process(
      async (records, { signal }) => {
        aborted.push(signal.aborted);
        await harness.sleep(records.length > 1 ? 1 : 2);
        if (records.length > 1) throw new Error('HTTP 400');
        return { batchItemFailures: [] };
      },
      { maxWaitMs: 1_000 },
    );
    // The first of the two that are tried alone takes the time of the first attempt, and that of the last is not up yet.
    const limits = { attemptTimeout: 4, attemptsPerSecond: 8 };
    expect(await harness.run(process, limits)).toMatchObject({ attempted: 8 });
    expect(aborted).not.toContain(true);
    expect(calls.sizes.slice(0, 2)).toEqual([8, 1]);
  });

  it('leave no listener on their signals', async () => {
    const { harness, calls } = withRecords(3);
    const signals: AbortSignal[] = [];
    const process = calls.process((records, { attemptOf }) => {
      signals.push(...records.map((record) => attemptOf(record).signal));
      return records.map(() => new Done());
    });
    expect(await harness.run(process)).toMatchObject({ succeeded: 3 });
    expect(signals.flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([]);
  });

  it('are no failures where the process stops while they wait for others', async () => {
    const { harness, calls } = withRecords(3);
    const stop = new AbortController();
    const run = harness.start(calls.process(allSucceed, { maxWaitMs: 10_000 }), { stop: stop.signal });
    await harness.pass(1);
    stop.abort();
    expect(await harness.time.until(run)).toMatchObject({ failed: 0, attempted: 3 });
    expect(calls.ids).toEqual([]);
  });

  it('go on where one of them is cancelled during a call, which ends as the call has it', async () => {
    const { world, harness, cancel } = worldToCancel();
    const calls = new Calls(harness);
    for (const id of ['other', 'third']) harness.put(id);
    const aborted: string[] = [];
    const process = calls.process(async (records, context) => {
      context.signal.addEventListener('abort', () => aborted.push('the call'));
      for (const record of records) {
        context.attemptOf(record).signal.addEventListener('abort', () => aborted.push(record.id));
      }
      await harness.sleep(200);
      return { batchItemFailures: [] };
    });
    await world.run(process);
    await harness.pass(60);
    expect(await cancel()).toMatchObject({ reason: 'cancelRequested' });
    await harness.pass(300);
    expect(aborted).toEqual(['report']);
    expect(harness.statuses()).toEqual({ SUCCESS: 3 });
    expect(calls.sizes).toEqual([3]);
  });

  it.each([
    ['share their batches', undefined, 1],
    ['have batches of their own where these go by the queue', ({ queue }: { queue: string }) => queue, 2],
  ])('of two queues of one handler %s', async (_, by, count) => {
    const { harness, calls } = withRecords(6, (i) => (i < 3 ? {} : { queue: 'p', lane: 'p' }));
    const process = calls.process(allSucceed, { by });
    const runs = ['q', 'p'].map((queue) => harness.start(process, { queue }));
    const summaries = await Promise.all(runs.map((run) => harness.time.until(run)));
    expect(summaries).toMatchObject([{ succeeded: 3 }, { succeeded: 3 }]);
    expect(calls.ids).toHaveLength(count);
  });

  it('go on where one of them is changed during a call that takes long', async () => {
    const { world, harness } = worldToCancel();
    const calls = new Calls(harness);
    for (const id of ['other', 'third']) harness.put(id);
    const process = calls.process(async (records, { signal }) => {
      await harness.sleep(200, signal);
      signal.throwIfAborted();
      return records.map(() => new Done());
    });
    await world.run(process);
    await harness.pass(60);
    harness.put('report', { status: 'NEW', payload: { changed: true } });
    await harness.pass(300);
    expect(calls.sizes).toEqual([3]);
    expect(harness.statuses()).toEqual({ SUCCESS: 2, NEW: 1 });
  });

  it('end their call where all of them are cancelled', async () => {
    const { world, harness, cancel } = worldToCancel();
    const calls = new Calls(harness);
    await world.run(calls.process(untilAborted));
    await harness.pass(60);
    await cancel();
    await harness.pass(60);
    expect(harness.item('report')).toMatchObject({ status: 'DEAD', deadReason: 'cancelled: withdrawn' });
    expect(world.underWay).toBe(0);
  });

  it('have their contexts in that of the call, and no other record has', async () => {
    const { harness, calls } = withRecords(2, (i) => ({ status: 'ERROR', attempts: i + 1, failures: i + 1 }));
    const seen: unknown[] = [];
    const process = calls.process((records, { attemptOf }) => {
      for (const record of records)
        seen.push([record.id, attemptOf(record).attempt, attemptOf(record).token]);
      expect(() => attemptOf({ id: 'other' })).toThrow(
        new TypeError('attemptOf: expected a record of this batch'),
      );
      return { batchItemFailures: [] };
    });
    expect(await harness.run(process)).toMatchObject({ succeeded: 2 });
    expect(seen.sort()).toEqual([
      ['r-000', 2, expect.any(String)],
      ['r-001', 3, expect.any(String)],
    ]);
  });
});
