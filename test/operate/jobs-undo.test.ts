import { describe, expect, it } from 'vitest';
import type { NewJob } from '../../src/operate/jobs/index.js';
import { Harness, succeed } from '../worker/harness.js';
import { DEAD_OF_Q, iso, OPS, processOf, putAll, runNew } from './jobs-support.js';
import { operatorOf, putDead } from './support.js';

const withoutRev = (items: readonly object[]) => items.map((item) => ({ ...item, rev: '' }));

describe('an undo', () => {
  const CHANGES: [string, Partial<NewJob>][] = [
    ['redrive', {}],
    ['redrive into another queue', { options: { queue: 'other', retry: { type: 'none' } } }],
    ['discard', { action: 'discard', options: { reason: 'not wanted', retention: '1d' } }],
    ['edit', { action: 'editPayload', options: { merge: { zip: '1010' } } }],
    ['edit and redrive', { action: 'editPayload', options: { payload: { zip: 7 }, redrive: true } }],
    ['move', { action: 'move', options: { queue: 'other' }, which: { queue: 'q', status: 'DEAD' } }],
    ['change of the policy', { action: 'changePolicy', options: { retry: { type: 'none' } } }],
  ];

  it.each(CHANGES)('puts dead records back as they were before a %s', async (_, change) => {
    const harness = new Harness();
    const own = { payload: { tags: new Set(['a']), n: 2n ** 60n }, retry: { type: 'fibonacci' } };
    putDead(harness, 'a', { ...own, expiresAt: 1e10, notBefore: iso(-5) });
    putDead(harness, 'b');
    const before = withoutRev(harness.store.items());
    await harness.pass(60);
    const { job } = await runNew(harness, { ...DEAD_OF_Q, ...change });
    expect(job.counts.changed).toBe(2);
    expect(withoutRev(harness.store.items())).not.toEqual(before);
    const jobs = processOf(harness);
    const undone = await harness.time.until(jobs.run(await jobs.undo(job.id, OPS)));
    expect(undone.job).toMatchObject({ action: 'undo', state: 'done', total: 2, counts: { changed: 2 } });
    expect(await jobs.read(job.id)).toMatchObject({ undoneBy: undone.job.id });
    // The mark of the lane that a record left, where a run may have been attempting it.
    const marks = (items: readonly object[]) => items.map((item) => ({ ...item, notBefore: undefined }));
    expect(marks(withoutRev(harness.store.items()))).toEqual(marks(before));
  });

  it.each<[string, Partial<NewJob>]>([
    ['snooze', { action: 'snooze', options: { delay: '2h' } }],
    ['run-now', { action: 'runNow' }],
    ['discard', { action: 'discard', which: { queue: 'q', status: ['NEW', 'ERROR'] } }],
    ['move', { action: 'move', options: { queue: 'other' } }],
  ])('puts waiting records back as they were before a %s', async (_, change) => {
    const harness = new Harness();
    harness.put('a', { dueAt: iso(3600), notBefore: iso(3600), status: 'ERROR', failures: 3 });
    harness.put('b', { dueAt: iso(5400) });
    const before = withoutRev(harness.store.items());
    const { job } = await runNew(harness, { ...DEAD_OF_Q, ...change });
    expect(job.counts.changed).toBe(2);
    const jobs = processOf(harness);
    await harness.time.until(jobs.run(await jobs.undo(job.id, OPS)));
    expect(withoutRev(harness.store.items())).toEqual(before);
  });

  it('leaves records that were touched since, and counts them', async () => {
    const harness = new Harness();
    putAll(harness, 250);
    const { job } = await runNew(harness, { ...DEAD_OF_Q, limit: 10 });
    await harness.run(succeed);
    expect(harness.statuses()).toEqual({ SUCCESS: 10, DEAD: 240 });
    const jobs = processOf(harness);
    await harness.time.until(jobs.run(await jobs.goOn(job.id), {}));
    const waiting = harness.store.items().filter(({ status }) => status === 'NEW');
    const touched = waiting.slice(0, 4).map(({ id }) => String(id));
    await operatorOf(harness).snooze(touched, { delay: '2h' });
    const { result } = await harness.time.until(jobs.run(await jobs.undo(job.id, OPS)));
    expect(result).toMatchObject({ changed: 6, skipped: { changedMeanwhile: 14 } });
    expect(harness.statuses()).toEqual({ SUCCESS: 10, NEW: 4, DEAD: 236 });
  });

  it('never makes a record due that a run may be attempting', async () => {
    const harness = new Harness();
    harness.put('a');
    const { job } = await runNew(harness, { ...DEAD_OF_Q, action: 'move', options: { queue: 'other' } });
    const attempts: string[] = [];
    const slow = async () => {
      attempts.push('begun');
      await harness.sleep(20);
    };
    const running = harness.start(slow, { queue: 'other' });
    await harness.pass(1);
    const jobs = processOf(harness);
    const undo = await harness.time.until(jobs.run(await jobs.undo(job.id, OPS)));
    expect(undo.result).toMatchObject({ changed: 1, delayed: 1 });
    expect(await harness.run(slow)).toMatchObject({ attempted: 0 });
    await harness.time.until(running);
    expect(attempts).toEqual(['begun']);
  });

  it('refuses what cannot be brought back, and what is over for a day', async () => {
    const harness = new Harness();
    putAll(harness, 2);
    const jobs = processOf(harness);
    const { job } = await runNew(harness, { ...DEAD_OF_Q, limit: 1 });
    const removal = await runNew(harness, { ...DEAD_OF_Q, action: 'discard', options: { delete: true } });
    expect(removal.job.counts.changed).toBe(1);
    await expect(jobs.undo(removal.job.id, OPS)).rejects.toThrow(/cannot be brought back/);
    await harness.pass(86_401);
    await expect(jobs.undo(job.id, OPS)).rejects.toThrow(/more than a day ago/);
  });
});
