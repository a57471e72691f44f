import { describe, expect, it } from 'vitest';
import { DEFAULT_TIERS, tierBands } from '../../src/policies/index.js';
import type { RunSummary } from '../../src/worker/index.js';
import { fail, Harness, START, succeed, YOUNG } from './harness.js';

const DAY = 86_400;
const FIBONACCI = { type: 'fibonacci', jitter: 'none' } as const;
const iso = (secondsAfterStart: number) => new Date(START + secondsAfterStart * 1000).toISOString();
const [, HOURLY = YOUNG, ...SLOWER] = tierBands(DEFAULT_TIERS, 300);

describe('a queue whose retry mode changes with records waiting', () => {
  it("waits one function timeout before the new mode's first attempt, as the old mode's last run may be at work", async () => {
    const harness = new Harness();
    harness.put('r');
    await harness.run(fail);
    await harness.pass(3600);
    expect(await harness.run(fail, { band: YOUNG })).toMatchObject({
      attempted: 0,
      ended: 'retryModeChanged',
    });
    await harness.pass(299);
    expect(await harness.run(fail, { band: YOUNG })).toMatchObject({
      attempted: 0,
      ended: 'retryModeChanged',
    });
    await harness.pass(2);
    expect(await harness.run(fail, { band: YOUNG })).toMatchObject({ attempted: 1, ended: 'drained' });
  });

  it('a change that a wrong clock put far ahead counts as one of now', async () => {
    const harness = new Harness();
    harness.put('r');
    const aYearAhead = START + 365 * DAY * 1000;
    await harness.store.queues.setRetryMode('q', { mode: 'perRecord', since: aYearAhead }, undefined);
    expect(await harness.run(succeed)).toMatchObject({ attempted: 0, ended: 'retryModeChanged' });
    await harness.pass(301);
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 1, ended: 'drained' });
  });

  it('a run of the old mode stops at its next page', async () => {
    const harness = new Harness();
    for (let i = 0; i < 40; i++) harness.put(`r${i}`);
    const old = harness.start(() => harness.sleep(10), { concurrency: 5 });
    await harness.pass(5);
    await harness.run(succeed, { band: YOUNG });
    expect(await harness.time.until(old)).toMatchObject({ attempted: 10, ended: 'retryModeChanged' });
  });

  it('from progressive to fibonacci: a record is attempted once the wait that its failures ask for is over', async () => {
    const harness = new Harness();
    for (const id of ['often', 'fresh']) harness.put(id);
    for (let i = 0; i < 6; i++) {
      await harness.run((record) => (record.id === 'often' ? fail(record, {} as never) : undefined), {
        band: YOUNG,
      });
      await harness.pass(300);
    }
    harness.put('new');
    await harness.run(succeed, { retry: FIBONACCI });
    await harness.pass(301);
    // Six failures, the last ten minutes ago: the sixth Fibonacci wait of eight minutes is over.
    const attempted: string[] = [];
    await harness.run((record) => void attempted.push(record.id), { retry: FIBONACCI });
    expect(attempted.sort()).toEqual(['new', 'often']);
  });

  it('from progressive to fibonacci: one whose wait is not over is corrected', async () => {
    const harness = new Harness();
    harness.put('often', {
      status: 'ERROR',
      attempts: 12,
      failures: 12,
      lastFailureAt: iso(-60),
      firstFailureAt: iso(-3600),
      insertedAt: iso(-4000),
    });
    expect(await harness.run(succeed, { retry: FIBONACCI })).toMatchObject({ attempted: 0, skipped: 1 });
    expect(harness.item('often')).toMatchObject({
      status: 'ERROR',
      attempts: 12,
      dueAt: iso(-60 + 144 * 60 - 30),
    });
  });

  it('from fibonacci to progressive: each record gets the due time of its age when it is first met', async () => {
    const harness = new Harness();
    harness.put('failed', {
      status: 'ERROR',
      attempts: 9,
      failures: 9,
      lastAttemptAt: iso(-2000),
      insertedAt: iso(-8000),
      dueAt: iso(-10),
    });
    expect(await harness.run(fail, { band: YOUNG })).toMatchObject({ attempted: 1 });
    expect(harness.item('failed')).toMatchObject({ attempts: 10, dueAt: iso(-8000) });
  });
});

describe('the hourly run', () => {
  const catchUp = SLOWER;
  const old = {
    status: 'ERROR',
    attempts: 1,
    failures: 1,
    lastAttemptAt: iso(-6 * DAY),
    insertedAt: iso(-40 * DAY),
  };

  it('starts a slower tier whose turn was missed', async () => {
    const harness = new Harness();
    await harness.run(succeed, { band: HOURLY, catchUp });
    await harness.pass(5 * DAY);
    harness.put('old', old);
    const summary = await harness.run(succeed, { band: HOURLY, catchUp });
    expect(summary).toMatchObject({ succeeded: 1, caughtUp: [3, 4, 5] });
  });

  it('starts a slower tier that has never run, which makes up for nothing', async () => {
    const harness = new Harness();
    harness.put('old', old);
    const summary = await harness.run(succeed, { band: HOURLY, catchUp });
    expect(summary).toMatchObject({ succeeded: 1 });
    expect(summary).not.toHaveProperty('caughtUp');
  });

  it('leaves alone a tier that ran in time', async () => {
    const harness = new Harness();
    await harness.run(succeed, { band: HOURLY, catchUp });
    await harness.pass(11 * 3600);
    harness.put('old', old);
    expect(await harness.run(succeed, { band: HOURLY, catchUp })).not.toHaveProperty('caughtUp');
    await harness.pass(2 * 3600);
    expect(await harness.run(succeed, { band: HOURLY, catchUp })).toMatchObject({ caughtUp: [3] });
  });

  it('starts a slower tier whose last run a wrong clock put far ahead', async () => {
    const harness = new Harness();
    await harness.run(succeed, { band: HOURLY, catchUp });
    await harness.store.queues.recordTierRun('q', '3', { at: START + 365 * DAY * 1000, complete: true });
    harness.put('old', { ...old, insertedAt: iso(-10 * DAY) });
    expect(await harness.run(succeed, { band: HOURLY, catchUp })).toMatchObject({ caughtUp: [3] });
    expect(await harness.run(succeed, { band: HOURLY, catchUp })).not.toHaveProperty('caughtUp');
  });

  it('does not count a tier that is at work itself', async () => {
    const harness = new Harness();
    const [tier3 = YOUNG, ...slower] = SLOWER;
    await harness.run(succeed, { band: HOURLY, catchUp });
    await harness.pass(10 * DAY);
    harness.put('old', { ...old, insertedAt: iso(0) });
    let summary: RunSummary | undefined;
    const meanwhile = async () => {
      summary = await harness.run(succeed, { band: HOURLY, catchUp });
    };
    expect(await harness.run(meanwhile, { band: tier3 })).toMatchObject({ succeeded: 1 });
    expect(summary?.caughtUp).toEqual(slower.map(({ number }) => number));
  });

  it('goes on with a tier that ended at its limit', async () => {
    const harness = new Harness();
    for (let i = 0; i < 30; i++) harness.put(`old-${i}`, old);
    await harness.run(succeed, { band: HOURLY, catchUp: SLOWER.slice(0, 2) });
    const tier5 = SLOWER[2] ?? YOUNG;
    expect(await harness.run(succeed, { band: tier5, maxRecords: 20 })).toMatchObject({
      attempted: 20,
      ended: 'maxRecords',
    });
    await harness.pass(3600);
    expect(await harness.run(succeed, { band: HOURLY, catchUp })).toMatchObject({
      succeeded: 10,
      caughtUp: [5],
    });
    expect(harness.statuses()).toEqual({ SUCCESS: 30 });
  });

  it('has a limit of its own for each tier it makes up for', async () => {
    const harness = new Harness();
    for (let i = 0; i < 30; i++) harness.put(`hourly-${i}`, { insertedAt: iso(-2 * DAY) });
    for (let i = 0; i < 5; i++) harness.put(`old-${i}`, old);
    const attempted: string[] = [];
    const summary = await harness.run((record) => void attempted.push(record.id), {
      band: HOURLY,
      catchUp,
      maxRecords: 10,
    });
    expect(summary).toMatchObject({ attempted: 15, ended: 'maxRecords' });
    expect(attempted.filter((id) => id.startsWith('old'))).toHaveLength(5);
  });

  it('does not go on to slower tiers when the queue has changed its mode meanwhile', async () => {
    const harness = new Harness();
    for (let i = 0; i < 30; i++) harness.put(`hourly-${i}`, { insertedAt: iso(-2 * DAY) });
    harness.put('old', old);
    await harness.run(succeed, { band: YOUNG });
    const change = async () => {
      const { retryMode } = await harness.store.queues.read('q');
      await harness.store.queues.setRetryMode(
        'q',
        { mode: 'perRecord', since: harness.clock.wall() },
        retryMode,
      );
    };
    const summary = await harness.run(change, { band: HOURLY, catchUp, concurrency: 2 });
    expect(summary).toMatchObject({ ended: 'retryModeChanged' });
    expect(summary).not.toHaveProperty('caughtUp');
    expect((await harness.store.queues.read('q')).retryMode?.mode).toBe('perRecord');
  });
});
