import { describe, expect, it } from 'vitest';
import { due, fail, Harness, START, YOUNG } from './harness.js';

const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();

describe('limits that a record has of its own', () => {
  it('hold under the policy of its queue, whose waits stay', async () => {
    const harness = new Harness();
    harness.put('a', { retry: { maxAttempts: 2 } });
    await harness.run(fail);
    expect(harness.item('a')).toMatchObject({ status: 'ERROR', dueAt: due(60) });
    await harness.pass(60);
    expect(await harness.run(fail)).toMatchObject({ dead: 1 });
    expect(harness.item('a')).toMatchObject({ status: 'DEAD', deadReason: 'maxAttempts', failures: 2 });
  });

  it('may be wider than those of the queue', async () => {
    const harness = new Harness();
    const retry = { type: 'constant', interval: 60, jitter: 'none', maxAttempts: 1 } as const;
    harness.put('a', { retry: { maxAttempts: 2 } });
    expect(await harness.run(fail, { retry })).toMatchObject({ failed: 1, dead: 0 });
  });

  it('hold for what a retry function answers, which is asked all the same', async () => {
    const harness = new Harness();
    harness.put('a', { retry: { maxAttempts: 2 } });
    const retryFunction = () => ({ type: 'constant', interval: 7, jitter: 'none', maxAttempts: 9 }) as const;
    await harness.run(fail, { retryFunction });
    expect(harness.item('a')).toMatchObject({ dueAt: due(7) });
    await harness.pass(8);
    expect(await harness.run(fail, { retryFunction })).toMatchObject({ dead: 1 });
  });

  it('leave the waits of a progressive queue to its rules', async () => {
    const harness = new Harness();
    harness.put('a', { retry: { maxAttempts: 2 } });
    await harness.run(fail, { band: YOUNG });
    expect(harness.item('a')).toMatchObject({ status: 'ERROR', dueAt: iso(0) });
    await harness.pass(300);
    expect(await harness.run(fail, { band: YOUNG })).toMatchObject({ dead: 1 });
  });

  it('of its age end it without another attempt', async () => {
    const harness = new Harness();
    harness.put('a', { retry: { maxAge: 90 } });
    await harness.run(fail);
    await harness.pass(120);
    expect(await harness.run(fail)).toMatchObject({ attempted: 0, dead: 1 });
    expect(harness.item('a')).toMatchObject({ deadReason: 'expired' });
    expect(harness.failures.slice(1)).toMatchObject([
      { level: 'ERROR', message: 'expired', id: 'a', status: 'DEAD', deadReason: 'expired' },
    ]);
  });

  it.each([
    [{ maxAttempts: 0 }, 'retry.maxAttempts: expected number to be >=1, got 0'],
    [{ maxAttempts: 2, type: 'no' }, 'retry.type: expected one of'],
    [{ attempts: 2 }, 'retry.type: expected one of'],
    [{}, 'retry.type: expected one of'],
  ])('that are invalid are ignored and reported: %j', async (retry, problem) => {
    const harness = new Harness();
    harness.put('a', { retry });
    expect(await harness.run(fail)).toMatchObject({ failed: 1 });
    expect((await harness.store.records.get('a'))?.problems.join()).toContain(problem);
  });
});
