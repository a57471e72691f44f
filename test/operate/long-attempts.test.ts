import { describe, expect, it } from 'vitest';
import { Harness, START, succeed } from '../worker/harness.js';
import { operatorOf, putDead } from './support.js';

describe('a record whose long attempt goes on', () => {
  it('is left alone by every action, and acted on once its process is silent', async () => {
    const harness = new Harness();
    const until = new Date(START + 75_000).toISOString();
    harness.put('a', { dueAt: until, notBefore: { until } });
    const operator = operatorOf(harness);
    const before = harness.item('a');
    const actions = [
      () => operator.runNow('a'),
      () => operator.snooze('a', { delay: '1h' }),
      () => operator.move('a', { queue: 'r' }),
      () => operator.discard('a'),
    ];
    for (const act of actions) expect(await act()).toMatchObject({ changed: 0, skipped: { inFlight: 1 } });
    expect(harness.item('a')).toEqual(before);
    await harness.pass(80);
    expect(await operator.runNow('a')).toMatchObject({ skipped: { asWanted: 1 } });
    // The process was lost: that is a failure, without an attempt.
    expect(await harness.run(succeed)).toMatchObject({ attempted: 0, failed: 1 });
    expect(harness.item('a')).toMatchObject({ status: 'ERROR', lastError: { name: 'WorkerLost' } });
  });

  it('differs from one whose producer says so', async () => {
    const harness = new Harness();
    const operator = operatorOf(harness);
    const until = '9999-12-31T23:59:59.999Z';
    harness.put('a', { dueAt: until, notBefore: { until } });
    const soon = new Date(START + 60_000).toISOString();
    putDead(harness, 'b', { notBefore: { until: soon } });
    expect(await operator.runNow('a')).toMatchObject({ changed: 1 });
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 1, failed: 0 });
    expect(await operator.redrive('b')).toMatchObject({ changed: 1 });
    expect(harness.item('b')).not.toHaveProperty('notBefore');
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 1, failed: 0 });
  });
});
