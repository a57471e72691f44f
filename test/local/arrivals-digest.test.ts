import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunReport } from '../../src/overview/runtime.js';
import type { RunSummary } from '../../src/worker/summary.js';
import { ArrivalsDigest } from '../../tools/src/local/status/arrivals-digest.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function digestWith() {
  const reports: RunReport[] = [];
  const digest = new ArrivalsDigest({
    now: () => '2026-11-20T09:30:00.000Z',
    onReport: (report) => reports.push(report),
  });
  const add = (queue: string, changes: Partial<RunSummary>) => {
    const value = { ...DONE, queue, lane: queue, ...changes };
    digest.add(queue, { durationMs: 5, invocation: { type: 'result', value } });
  };
  return { digest, add, reports, texts: () => reports.map(({ label, text }) => `${label}: ${text}`) };
}

const DONE: RunSummary = {
  queue: 'orders',
  lane: 'orders',
  attempted: 0,
  succeeded: 0,
  failed: 0,
  dead: 0,
  snoozed: 0,
  cancelled: 0,
  skipped: 0,
  unsettled: 0,
  leftOver: 0,
  lagSeconds: 0,
  ended: 'drained',
  durationMs: 5,
};

describe('the digest of arrivals', () => {
  it('is one line per queue for all that came within a second', async () => {
    const { add, texts, reports } = digestWith();
    add('orders', { attempted: 3, succeeded: 2, failed: 1, lagSeconds: 3, durationMs: 10 });
    add('prices', { attempted: 1, succeeded: 1, durationMs: 7 });
    await vi.advanceTimersByTimeAsync(900);
    add('orders', { attempted: 5, dead: 2, pending: 3, lagSeconds: 1, durationMs: 4 });
    expect(reports).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    expect(texts()).toEqual([
      'orders, on arrival (2 runs): attempted 8: 2 ok, 1 failed, 2 dead, 3 pending - drained',
      'prices, on arrival: attempted 1: 1 ok, 0 failed, 0 dead - drained',
    ]);
    expect(reports[0]).toMatchObject({ rule: 'arrivals orders', outcome: 'ok', summary: { lagSeconds: 3 } });
  });

  it('begins again after its line', async () => {
    const { add, texts } = digestWith();
    add('orders', { attempted: 1, succeeded: 1 });
    await vi.advanceTimersByTimeAsync(1_100);
    add('orders', { attempted: 1, succeeded: 1 });
    await vi.advanceTimersByTimeAsync(1_100);
    expect(texts()).toEqual(
      Array(2).fill('orders, on arrival: attempted 1: 1 ok, 0 failed, 0 dead - drained'),
    );
  });

  it('says so if any of the runs left records to the rules', async () => {
    const { add, texts } = digestWith();
    add('orders', { leftOver: 4, ended: 'concurrencyLimited' });
    add('orders', { attempted: 1, succeeded: 1 });
    await vi.advanceTimersByTimeAsync(1_100);
    expect(texts()[0]).toContain('4 left over - left to the rules: enough runs are at work on arrivals');
  });

  it('tells at once what went wrong', () => {
    const { digest, texts, reports } = digestWith();
    digest.add('orders', {
      durationMs: 5,
      invocation: { type: 'exited', message: 'Runtime exited with exit status 3' },
    });
    expect(texts()).toEqual(['orders, on arrival: Runtime exited with exit status 3']);
    expect(reports[0]).toMatchObject({ outcome: 'exited' });
  });

  it('does not mention runs that met their claim or had nothing to do', async () => {
    const { add, reports } = digestWith();
    add('orders', { ended: 'leaseHeld' });
    add('orders', { ended: 'drained' });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(reports).toEqual([]);
  });

  it('keeps nothing for itself at the end', () => {
    const { add, digest, texts } = digestWith();
    add('orders', { attempted: 1, succeeded: 1 });
    digest.flush();
    expect(texts()).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
