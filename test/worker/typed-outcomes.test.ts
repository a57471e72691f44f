import { describe, expect, it } from 'vitest';
import { RetryAfter } from '../../src/index.js';
import { Cancel, Refused, Snooze } from '../../src/record/index.js';
import type { Process } from '../../src/worker/index.js';
import { fail, Harness, START, succeed, YOUNG } from './harness.js';

const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const snooze =
  (seconds: number): Process =>
  () =>
    new Snooze(seconds, 'the shop is closed');
const cancel: Process = () => {
  throw new Cancel('withdrawn');
};

describe('a run over records that are refused before their handler is called', () => {
  it('counts them as dead, and not against its limit', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b']) harness.put(id, { dueAt: iso(-60) });
    for (const id of ['c', 'd']) harness.put(id);
    const refusesTwo: Process = ({ id }) => {
      if (id < 'c') throw new Refused('no order');
    };
    const summary = await harness.run(refusesTwo, { concurrency: 1, maxRecords: 2 });
    expect(summary).toMatchObject({ attempted: 2, succeeded: 2, dead: 2, ended: 'drained' });
  });
});

describe('a run over records that are put off', () => {
  it('counts them apart, and attempts them when their wait is over, not earlier', async () => {
    const harness = new Harness();
    harness.put('a');
    const summary = await harness.run(snooze(90), { retry: { type: 'none' } });
    expect(summary).toMatchObject({ attempted: 1, snoozed: 1, failed: 0, dead: 0, skipped: 0 });
    expect(harness.item('a')).toMatchObject({ status: 'NEW', attempts: 1, dueAt: iso(90) });
    expect(harness.item('a')).not.toHaveProperty('failures');
    await harness.pass(89);
    expect(await harness.run(succeed)).toMatchObject({ attempted: 0 });
    await harness.pass(1);
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 1 });
  });

  it('never gives one up for its snoozes, however many they are', async () => {
    const harness = new Harness();
    harness.put('a');
    for (let i = 0; i < 50; i++) {
      await harness.run(snooze(60), { retry: { type: 'constant', maxAttempts: 2 } });
      await harness.pass(60);
    }
    expect(harness.item('a')).toMatchObject({ status: 'NEW', attempts: 50 });
    expect(await harness.run(fail, { retry: { type: 'constant', maxAttempts: 2 } })).toMatchObject({
      failed: 1,
      dead: 0,
    });
    expect(harness.item('a')).toMatchObject({ status: 'ERROR', failures: 1, attempts: 51 });
  });

  it('on a progressive queue leaves them to the first turn after their wait', async () => {
    const harness = new Harness();
    harness.put('a');
    expect(await harness.run(snooze(700), { band: YOUNG })).toMatchObject({ snoozed: 1 });
    for (const attempted of [0, 0, 1]) {
      await harness.pass(300);
      expect(await harness.run(succeed, { band: YOUNG })).toMatchObject({ attempted });
    }
  });

  it('gives those that have just come their place', async () => {
    const harness = new Harness();
    harness.store.put({ id: 'a', status: 'NEW', queue: 'q', payload: 1 });
    const arrivals = { batch: 'b', ids: ['a'] };
    expect(await harness.run(snooze(90), { arrivals })).toMatchObject({ snoozed: 1, leftOver: 0 });
    expect(harness.item('a')).toMatchObject({ status: 'NEW', lane: 'q', dueAt: iso(90), insertedAt: iso(0) });
    await harness.pass(90);
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 1 });
  });

  it('honours their wait when the queue goes from progressive to due times, or back', async () => {
    for (const [previous, next] of [
      [{ band: YOUNG }, {}],
      [{}, { band: YOUNG }],
    ]) {
      const harness = new Harness();
      harness.put('a');
      await harness.run(snooze(900), previous);
      for (let seconds = 0; harness.item('a').status === 'NEW' && seconds < 3000; seconds += 60) {
        await harness.run(succeed, next);
        await harness.pass(60);
      }
      const waited = (Date.parse(String(harness.item('a').lastAttemptAt)) - START) / 1000;
      expect(waited).toBeGreaterThanOrEqual(900);
      // The new mode's first run waits for the previous mode's last one.
      expect(waited).toBeLessThanOrEqual(900 + 300);
    }
  });

  it('gives a record the attempt that it was put off to past its last day, and no further one', async () => {
    const harness = new Harness();
    const retry = { type: 'constant', maxAge: 3600 } as const;
    harness.put('kept');
    harness.put('given-up');
    await harness.run(snooze(7200), { retry });
    await harness.pass(7200);
    const run = harness.run(({ id }) => (id === 'kept' ? undefined : new Snooze(60)), { retry });
    expect(await run).toMatchObject({ succeeded: 1, snoozed: 1, dead: 0 });
    await harness.pass(60);
    expect(await harness.run(succeed, { retry })).toMatchObject({ attempted: 0, dead: 1 });
    expect(harness.item('given-up')).toMatchObject({ status: 'DEAD', deadReason: 'expired', attempts: 2 });
  });

  it('takes a Retry-After for a failure, as ever', async () => {
    const harness = new Harness();
    harness.put('a');
    expect(await harness.run(() => new RetryAfter(90))).toMatchObject({ failed: 1, snoozed: 0 });
  });
});

describe('a run over records that are cancelled', () => {
  it('counts them apart from the dead', async () => {
    const harness = new Harness();
    harness.put('a');
    expect(await harness.run(cancel)).toMatchObject({ attempted: 1, cancelled: 1, dead: 0, failed: 0 });
    expect(harness.item('a')).toMatchObject({
      status: 'DEAD',
      lane: 'q/dead',
      deadReason: 'cancelled: withdrawn',
    });
    expect(harness.item('a')).not.toHaveProperty('history');
    await harness.pass(86_400);
    expect(await harness.run(succeed)).toMatchObject({ attempted: 0, skipped: 0 });
  });

  it('lists those that have just come with the dead, too', async () => {
    const harness = new Harness();
    harness.store.put({ id: 'a', status: 'NEW', queue: 'q', payload: 1 });
    await harness.run(cancel, { arrivals: { batch: 'b', ids: ['a'] } });
    expect(harness.item('a')).toMatchObject({ status: 'DEAD', lane: 'q/dead', insertedAt: iso(0) });
  });
});

describe('a Retry-After of 60,000,000 seconds', () => {
  const busy: Process = () => {
    throw new RetryAfter('60000000');
  };
  const PATHS = {
    'a rule': {},
    'an arrival': { arrivals: { batch: 'b', ids: ['a'] } },
    'a rule of a progressive queue': { band: YOUNG },
  };
  it.each(Object.entries(PATHS))(
    'does not put its record off for longer than a day, in a run of %s',
    async (_, choices) => {
      const harness = new Harness();
      harness.put('a', 'arrivals' in choices ? { lane: undefined, dueAt: undefined, rev: undefined } : {});
      await harness.run(busy, choices);
      const { dueAt, notBefore = dueAt } = harness.item('a');
      expect(notBefore).toBe(iso(86_400));
    },
  );

  it('is cut to what the queue says', async () => {
    const harness = new Harness();
    harness.put('a');
    await harness.run(busy, { maxRetryAfter: 3 * 86_400 });
    expect(harness.item('a')).toMatchObject({ dueAt: iso(3 * 86_400) });
  });

  it('lets its record die in its time', async () => {
    const harness = new Harness();
    harness.put('a');
    const retry = { type: 'constant', interval: 60, jitter: 'none', maxAge: 3_600 } as const;
    await harness.run(busy, { retry });
    await harness.pass(3_600);
    await harness.run(busy, { retry });
    await harness.pass(60);
    await harness.run(busy, { retry });
    expect(harness.item('a')).toMatchObject({ status: 'DEAD', deadReason: 'expired' });
  });

  it('does not put off the others for longer whose breaker it has opened', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b', 'c', 'd']) harness.put(id);
    await harness.run(busy, { breaker: true, concurrency: 4 });
    for (const item of harness.store.items()) {
      expect(Date.parse(String(item.dueAt))).toBeLessThanOrEqual(START + 86_400_000);
    }
  });
});
