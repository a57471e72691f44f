import { describe, expect, it, vi } from 'vitest';
import { type BatchOptions, backlogHandler, Done, defineTask, inBatches } from '../../functions/index.js';
import type { ProcessBatch } from '../../src/batches/index.js';
import { BacklogClient } from '../../src/index.js';
import { MemoryStore } from '../../src/store/index.js';
import { systemClock } from '../../src/support/clock.js';
import type { Process, QueueOptions, RunOptions } from '../../src/worker/index.js';
import { context as lambda, workbench } from '../functions/support.js';

/** Makes a process ready, as a handler does before each run. */
function prepare(process: Process, queue: string, limits: Partial<RunOptions['limits']>): void {
  const { prepare: ready } = process as Process & { prepare(run: unknown): void };
  ready({ target: { queue }, limits: { concurrency: 10, attemptTimeout: 30, ...limits } });
}

describe('a process in batches, before a run', () => {
  const warn = vi.fn();
  const logger = { debug() {}, info() {}, warn, error() {} };
  const context = { signal: new AbortController().signal, token: 't', attempt: 1, logger };
  const done: ProcessBatch = (records) => records.map(() => new Done());

  it('warns once of a queue that attempts fewer records at once than a batch was asked to have', async () => {
    const process = inBatches(done, { maxRecords: 20 });
    prepare(process, 'small', { concurrency: 10 });
    prepare(process, 'large', { concurrency: 20 });
    for (const queue of ['small', 'large', 'small', 'unknown']) {
      await process({ id: 'a', queue, attempts: 0 } as never, context);
    }
    expect(warn.mock.calls).toEqual([
      [
        'no batch can be full, as the queue attempts fewer records at once',
        { queue: 'small', maxRecords: 20, concurrency: 10 },
      ],
    ]);
    warn.mockClear();
    const unasked = inBatches(done);
    prepare(unasked, 'small', { concurrency: 10 });
    await unasked({ id: 'a', queue: 'small', attempts: 0 } as never, context);
    expect(warn).not.toHaveBeenCalled();
  });

  it('has two records of one id, as two tables may have, in two calls', async () => {
    const sizes: number[] = [];
    const process = inBatches((records) => {
      sizes.push(records.length);
      return records.map(() => new Done());
    });
    const attempt = () => process({ id: 'a', queue: 'q', attempts: 0 } as never, context);
    await Promise.all([attempt(), attempt()]);
    expect(sizes).toEqual([1, 1]);
  });

  it('refuses a wait that an attempt has no time for', () => {
    const process = inBatches(done, { maxWait: '30s' });
    expect(() => prepare(process, 'q', { attemptTimeout: 30 })).toThrow(
      'maxWait of a batch: expected less than the 30 s of an attempt, got 30 s',
    );
    prepare(process, 'q', { attemptTimeout: 31 });
  });

  it('has the chain of the longest one in it: what it inserts counts from there', async () => {
    const store = new MemoryStore({ clock: systemClock });
    const client = new BacklogClient({ table: 'records', store });
    const process = inBatches(async () => {
      await client.insert({ payload: 1 });
      return { batchItemFailures: [] };
    });
    const attempt = (id: string, hops: number) =>
      process({ id, queue: 'q', attempts: 0, hops } as never, context);
    await Promise.all([attempt('a', 2), attempt('b', 5), attempt('c', 0)]);
    expect(store.items()).toMatchObject([{ hops: 6 }]);
  });
});

describe('a task in batches, before a run', () => {
  const event = { queue: 'orders' };
  const handlerOf = (options: BatchOptions, limits: Partial<QueueOptions>) => {
    const bench = workbench({ orders: { retryMode: 'perRecord' } });
    const perform = inBatches(() => ({ batchItemFailures: [] }), options);
    const tasks = [defineTask<unknown>({ name: 'index', queue: 'orders', perform })];
    const handler = backlogHandler({ queue: 'orders', tasks, ...bench.overrides, ...limits });
    return { bench, run: () => handler(event, lambda) };
  };

  it('is warned of where no batch can be full', async () => {
    const { bench, run } = handlerOf({ maxRecords: 20 }, { concurrency: 10 });
    await bench.insert({ id: 'a', queue: 'orders', task: 'index', payload: 1 });
    expect(await run()).toMatchObject({ succeeded: 1 });
    expect(bench.log().filter(({ level }) => level === 'WARN')).toMatchObject([
      { message: 'no batch can be full, as the queue attempts fewer records at once', concurrency: 10 },
    ]);
  });

  it('is refused for a wait that an attempt has no time for, and no record pays for it', async () => {
    const { bench, run } = handlerOf({ maxWait: '30s' }, {});
    await bench.insert({ id: 'a', queue: 'orders', task: 'index', payload: 1 });
    await expect(run()).rejects.toThrow(
      'maxWait of a batch: expected less than the 30 s of an attempt, got 30 s',
    );
    expect(await bench.store.records.get('a')).toMatchObject({ status: 'NEW', attempts: 0 });
  });
});
