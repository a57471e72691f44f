import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { Dead, Done, defineTask, inBatches } from '../../functions/index.js';
import type { ProcessBatch } from '../../src/batches/index.js';
import { testBacklog } from '../../src/testing/index.js';
import type { Process, RunOptions } from '../../src/worker/index.js';

const START = { now: '2026-01-01T00:00:00Z' };

/** Makes a process ready, as a handler does before each run. */
function prepare(process: Process, queue: string, limits: Partial<RunOptions['limits']>): void {
  const { prepare: ready } = process as Process & { prepare(run: unknown): void };
  ready({ target: { queue }, limits: { concurrency: 10, attemptTimeout: 30, ...limits } });
}

describe('a backlog for tests', () => {
  it('has its records in one call, and each gets its own outcome', async () => {
    const sizes: number[] = [];
    const process = inBatches((records) => {
      sizes.push(records.length);
      return records.map(({ id }) => (id === 'r3' ? new Dead('no') : new Done()));
    });
    const backlog = testBacklog({ queues: { orders: { process } }, ...START });
    for (let i = 0; i < 8; i++) await backlog.client.insert({ id: `r${i}`, payload: i, queue: 'orders' });
    expect(await backlog.drain()).toMatchObject({ attempted: 8, succeeded: 7, dead: 1 });
    expect(sizes.reduce((sum, size) => sum + size)).toBe(8);
    expect(Math.max(...sizes)).toBeGreaterThan(1);
  });

  it('gives the batches of a task what its schema makes of the payloads', async () => {
    const seen: unknown[] = [];
    const schema = z.object({ total: z.coerce.number() });
    const send: ProcessBatch = (records) => {
      seen.push(...records.map(({ payload }) => payload));
      return records.map(() => new Done());
    };
    const charge = defineTask({ name: 'charge', schema, perform: inBatches(send, { maxBytes: 1_000 }) });
    const backlog = testBacklog({ queues: { orders: { tasks: [charge] } }, ...START });
    for (const total of ['7', 'x', '8']) {
      await backlog.insert({ queue: 'orders', task: 'charge', payload: { total } });
    }
    expect(await backlog.drain()).toMatchObject({ succeeded: 2, dead: 1 });
    expect(seen).toEqual(expect.arrayContaining([{ total: 7 }, { total: 8 }]));
  });
});

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
});
