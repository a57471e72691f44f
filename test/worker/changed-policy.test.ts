import { describe, expect, it } from 'vitest';
import type { RetryPolicy } from '../../src/policies/index.js';
import { due, fail, Harness, START, succeed } from './harness.js';

const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const LINEAR: RetryPolicy = { type: 'linear', interval: 100, jitter: 'none' };
const DOUBLING: RetryPolicy = { type: 'exponential', min: 0, jitter: 'none' };

/** Fails at 0 s; due at 100 s. */
async function waiting(attributes: Record<string, unknown> = {}) {
  const harness = new Harness();
  harness.put('a', attributes);
  await harness.run(fail, { retry: LINEAR });
  expect(harness.item('a')).toMatchObject({ dueAt: due(100), failures: 1 });
  return harness;
}

const setRetry = (harness: Harness, retry: unknown) => harness.store.put({ ...harness.item('a'), retry });

describe('a queue’s policy that is changed while a record waits', () => {
  it('leaves its due time, and decides from its next failure on, with the failures that it has', async () => {
    const harness = await waiting();
    await harness.pass(69);
    expect(await harness.run(fail, { retry: DOUBLING })).toMatchObject({ attempted: 0 });
    await harness.pass(1);
    await harness.run(fail, { retry: DOUBLING });
    // 2^1 minutes: the second failure.
    expect(harness.item('a')).toMatchObject({ failures: 2, dueAt: due(120, 70) });
  });

  it('gives up after one more attempt, if that is past its own limit already', async () => {
    for (const retry of [{ ...LINEAR, maxAttempts: 1 }, { type: 'none' }] as const) {
      const harness = await waiting();
      await harness.pass(100);
      expect(await harness.run(fail, { retry })).toMatchObject({ attempted: 1, dead: 1 });
      expect(harness.item('a')).toMatchObject({ status: 'DEAD', failures: 2, deadReason: 'maxAttempts' });
      const kind = await waiting();
      await kind.pass(100);
      expect(await kind.run(succeed, { retry })).toMatchObject({ succeeded: 1 });
    }
  });

  it('makes no record wait longer than its own wait, however many failures there were before', async () => {
    const many = new Harness();
    many.put('a', { failures: 300, firstFailureAt: iso(-3000), attempts: 300, lastFailureAt: iso(-10) });
    await many.run(fail, { retry: { type: 'fibonacci', maxWait: 900 } });
    const wait = Date.parse(String(many.item('a').dueAt)) - START;
    expect(wait).toBeGreaterThan(500_000);
    expect(wait).toBeLessThanOrEqual(900_000);
  });

  it('may be one by another name', async () => {
    const harness = await waiting();
    await harness.pass(100);
    const retry: RetryPolicy = { type: 'LinearRetry', RetryIntervalSeconds: 7, MaxRetries: 2 };
    await harness.run(fail, { retry });
    expect(harness.item('a')).toMatchObject({ dueAt: due(7, 100) });
    await harness.pass(60);
    expect(await harness.run(fail, { retry })).toMatchObject({ dead: 1 });
    expect(harness.item('a')).toMatchObject({ failures: 3 });
  });
});

describe('one record’s policy', () => {
  it('that its producer sets while it waits counts from its next failure on', async () => {
    const harness = await waiting();
    setRetry(harness, { type: 'constant', interval: 1000, jitter: 'none' });
    await harness.pass(69);
    expect(await harness.run(fail, { retry: LINEAR })).toMatchObject({ attempted: 0 });
    await harness.pass(1);
    await harness.run(fail, { retry: LINEAR });
    expect(harness.item('a')).toMatchObject({ dueAt: due(1000, 70) });
  });

  it('that is removed again leaves it to the queue’s', async () => {
    const harness = await waiting({ retry: { ...LINEAR, maxAttempts: 5 } });
    setRetry(harness, undefined);
    await harness.pass(100);
    await harness.run(fail, { retry: DOUBLING });
    expect(harness.item('a')).toMatchObject({ dueAt: due(120, 100) });
  });

  it('that is set during an attempt has it attempted again, and judges that failure', async () => {
    const harness = await waiting();
    await harness.pass(100);
    await harness.run(
      () => {
        setRetry(harness, { type: 'none' });
        throw new Error('as always');
      },
      { retry: LINEAR },
    );
    expect(harness.item('a')).toMatchObject({ status: 'ERROR', failures: 1, retry: { type: 'none' } });
    expect(await harness.run(fail, { retry: LINEAR })).toMatchObject({ dead: 1 });
  });

  it('that cannot be read is ignored, and named', async () => {
    const harness = await waiting();
    setRetry(harness, { type: 'fibonaci' });
    await harness.pass(100);
    await harness.run(fail, { retry: LINEAR });
    expect(harness.item('a')).toMatchObject({
      status: 'ERROR',
      dueAt: due(100, 100),
      retry: { type: 'fibonaci' },
    });
    expect(harness.warnings).toContain('attributes ignored');
  });
});
