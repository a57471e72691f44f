import { describe, expect, it } from 'vitest';
import { replacing } from '../simulation/replacing.js';
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
      () => operator.editPayload('a', { payload: 1 }),
      () => operator.changePolicy('a', { retry: null }),
      () => operator.discard('a', { delete: true }),
    ];
    for (const act of actions) expect(await act()).toMatchObject({ changed: 0, skipped: { inFlight: 1 } });
    expect(harness.item('a')).toEqual(before);
    await harness.pass(80);
    expect(await operator.runNow('a')).toMatchObject({ skipped: { asWanted: 1 } });
    // The process was lost: that is a failure, without an attempt.
    expect(await harness.run(succeed)).toMatchObject({ attempted: 0, failed: 1 });
    expect(harness.item('a')).toMatchObject({ status: 'ERROR', lastError: { name: 'WorkerLost' } });
  });

  it('is asked to end by a discard, which says that, and nothing more', async () => {
    const harness = new Harness();
    const until = new Date(START + 75_000).toISOString();
    harness.put('a', { dueAt: until, notBefore: { until } });
    const before = harness.item('a');
    const operator = operatorOf(harness);
    const requested = {
      matched: 1,
      changed: 0,
      skipped: { cancelRequested: 1 },
      failed: 0,
      ended: 'complete',
    };
    expect(await operator.discard('a', { dryRun: true })).toMatchObject(requested);
    expect(harness.item('a')).toEqual(before);
    expect(await operator.discard('a', { reason: 'withdrawn' })).toMatchObject(requested);
    const marked = { ...before, notBefore: { until, cancel: 'withdrawn' } };
    expect(harness.item('a')).toEqual(marked);
    expect(await operator.discard({ queue: 'q', status: ['NEW'] })).toMatchObject(requested);
    expect(await operator.runNow('a')).toMatchObject({ changed: 0, skipped: { inFlight: 1 } });
    expect(harness.item('a')).toEqual(marked);
  });

  it('has its discard decided again where its process wrote first', async () => {
    const harness = new Harness();
    const until = new Date(START + 75_000).toISOString();
    harness.put('a', { dueAt: until, notBefore: { until } });
    const [later, wrote] = [new Date(START + 100_000).toISOString(), { done: false }];
    const store = replacing(
      {
        records: {
          note: async (...args) => {
            if (!wrote.done) harness.put('a', { dueAt: later, notBefore: { until: later }, rev: 'renewed' });
            wrote.done = true;
            return harness.store.records.note(...args);
          },
        },
      },
      harness.store,
    );
    const operator = operatorOf(harness, store);
    expect(await operator.discard('a')).toMatchObject({ changed: 0, skipped: { cancelRequested: 1 } });
    expect(harness.item('a')).toMatchObject({
      rev: 'renewed',
      notBefore: { until: later, cancel: 'by an operator' },
    });
  });

  it('that was to end is left to the next run where its process was lost, unless it is discarded', async () => {
    const harness = new Harness();
    const operator = operatorOf(harness);
    const until = new Date(START + 75_000).toISOString();
    for (const id of ['a', 'b']) harness.put(id, { dueAt: until, notBefore: { until, cancel: 'withdrawn' } });
    await harness.pass(80);
    const actions = [
      () => operator.runNow('a'),
      () => operator.snooze('a', { delay: '1h' }),
      () => operator.move('a', { queue: 'r' }),
    ];
    for (const act of actions) expect(await act()).toMatchObject({ changed: 0, skipped: { inFlight: 1 } });
    expect(await operator.discard('b', { reason: 'lost' })).toMatchObject({ changed: 1 });
    expect(harness.item('b')).toMatchObject({ status: 'DEAD', deadReason: 'discarded: lost' });
    expect(await harness.run(succeed)).toMatchObject({ attempted: 0, cancelled: 1 });
    expect(harness.item('a')).toMatchObject({ status: 'DEAD', deadReason: 'cancelled: withdrawn' });
    expect(await operator.redrive('a')).toMatchObject({ changed: 1 });
    expect(harness.item('a')).not.toHaveProperty('notBefore');
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 1 });
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
