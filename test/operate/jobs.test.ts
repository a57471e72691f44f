import { describe, expect, it } from 'vitest';
import type { Job, NewJob } from '../../src/operate/jobs/index.js';
import { StoreUnavailableError } from '../../src/store/errors.js';
import { fail, Harness } from '../worker/harness.js';
import { DEAD_OF_Q, iso, lostRedrive, OPS, processOf, putAll, runNew } from './jobs-support.js';
import { interrupted } from './support.js';

describe('a job', () => {
  it('changes 3,000 records, and is listed as done with its counts', async () => {
    const harness = new Harness();
    putAll(harness, 3000);
    const { job, result } = await runNew(harness, DEAD_OF_Q);
    expect(result).toMatchObject({ changed: 3000, ended: 'complete' });
    expect(harness.statuses()).toEqual({ NEW: 3000 });
    expect(job).toMatchObject({ state: 'done', counts: { changed: 3000, failed: 0 }, by: 'ops' });
    expect(job).toMatchObject({ startedAt: iso(0), endedAt: iso(0), from: 'console' });
    expect(job.holder).toBeUndefined();
    expect((await processOf(harness).list()).jobs).toEqual([job]);
    await harness.pass(31 * 86_400);
    expect((await processOf(harness).list()).jobs).toEqual([]);
  });

  it('writes its state at most every two seconds', async () => {
    const harness = new Harness();
    putAll(harness, 300);
    let writes = 0;
    const store = interrupted(harness.store, { 'jobs.change': () => writes++ });
    const jobs = processOf(harness, store);
    await harness.time.until(jobs.run(await jobs.create({ ...DEAD_OF_Q, perSecond: 20 }, OPS)));
    expect(writes).toBeGreaterThan(2);
    expect(writes).toBeLessThanOrEqual(15 / 2 + 1);
  });

  it('is stopped by another process within seconds, says so, and goes on with what is left', async () => {
    const harness = new Harness();
    putAll(harness, 300);
    const [worker, other] = [processOf(harness), processOf(harness)];
    const { id } = await worker.create({ ...DEAD_OF_Q, perSecond: 20, total: 300 }, OPS);
    const running = worker.run(await worker.read(id));
    await harness.pass(6);
    await expect(other.goOn(id)).rejects.toThrow(/a process is at work on it/);
    await other.stop(id, 'anna');
    const stoppedAt = harness.time.now;
    const { job } = await harness.time.until(running);
    expect(harness.time.now - stoppedAt).toBeLessThanOrEqual(2000);
    expect(job).toMatchObject({ state: 'stopped', why: 'stopped by anna' });
    const changed = harness.statuses().NEW;
    expect(changed).toBeLessThan(200);
    expect(job.counts.changed).toBe(changed);
    const ended = await harness.time.until(other.run(await other.goOn(id)));
    expect(ended.job).toMatchObject({ state: 'done', counts: { changed: 300 }, total: 300 });
    expect(harness.statuses()).toEqual({ NEW: 300 });
    await expect(other.goOn(id)).rejects.toThrow(/it is done/);
  });

  it('goes on without the records that were attempted since it began', async () => {
    const harness = new Harness();
    putAll(harness, 250);
    const jobs = processOf(harness);
    const first = await harness.time.until(jobs.run(await jobs.create({ ...DEAD_OF_Q, limit: 100 }, OPS)));
    expect(first.job).toMatchObject({ state: 'stopped', why: 'the limit of 100 is reached' });
    await harness.pass(60);
    await harness.run(fail, { retry: { type: 'none' } });
    expect(harness.statuses()).toEqual({ DEAD: 250 });
    for (const left of [100, 50]) {
      const { result } = await harness.time.until(jobs.run(await jobs.goOn(first.job.id)));
      expect(result.changed).toBe(left);
    }
    expect(await jobs.read(first.job.id)).toMatchObject({ state: 'done', counts: { changed: 250 } });
  });

  it('is taken over by another process once its own is gone, and no record is changed twice', async () => {
    const harness = new Harness();
    putAll(harness, 150);
    const id = await lostRedrive(harness, 5.52);
    const other = processOf(harness);
    await harness.pass(30);
    expect(await other.takeOver(await other.read(id))).toBeUndefined();
    await expect(other.undo(id, OPS)).rejects.toThrow(/at work: stop it first/);
    await harness.pass(60);
    await expect(other.undo(id, OPS)).rejects.toThrow(/its process is lost: go on with it, or stop it first/);
    const changed = harness.statuses().NEW ?? 0;
    expect(changed).toBeGreaterThan(0);
    const [job, none] = await Promise.all([
      other.takeOver(await other.read(id)),
      processOf(harness).takeOver(await other.read(id)),
    ]);
    expect(none).toBeUndefined();
    const { result } = await harness.time.until(other.run(job as Job));
    expect(result.changed).toBe(150 - changed);
    expect(harness.statuses()).toEqual({ NEW: 150 });
    // The pages that the lost process has kept are undone as well.
    const undo = await harness.time.until(other.run(await other.undo(id, OPS)));
    expect(undo.result).toMatchObject({ changed: 150 });
    expect(harness.statuses()).toEqual({ DEAD: 150 });
  });

  it('is not taken over by its own process, which is at work on it after its hold has run out', async () => {
    const harness = new Harness();
    putAll(harness, 300);
    const jobs = processOf(harness);
    const { id } = await jobs.create({ ...DEAD_OF_Q, perSecond: 2 }, OPS);
    const running = jobs.run(await jobs.read(id));
    await harness.pass(5);
    // Its hold has run out, as after a minute in which the machine slept.
    await harness.store.jobs.change(id, {
      set: { rev: 'slept', until: harness.time.now },
      remove: [],
      expected: {},
    });
    expect(await jobs.takeOver(await jobs.read(id))).toBeUndefined();
    await expect(jobs.goOn(id)).rejects.toThrow(/a process is at work on it/);
    const { job } = await harness.time.until(running);
    expect(job).toMatchObject({ state: 'done', counts: { changed: 300 } });
    expect((await jobs.read(id)).holder).toBeUndefined();
  });

  it('is stopped within seconds also while each of its renewals has something to write', async () => {
    const harness = new Harness();
    putAll(harness, 4_000);
    const jobs = processOf(harness);
    const { id } = await jobs.create({ ...DEAD_OF_Q, perSecond: 200 }, OPS);
    const running = jobs.run(await jobs.read(id));
    await harness.pass(5);
    await processOf(harness).stop(id, 'ops');
    await harness.pass(5);
    const { NEW: changed = 0 } = harness.statuses();
    await harness.pass(10);
    expect(harness.statuses().NEW).toBe(changed);
    expect((await harness.time.until(running)).job).toMatchObject({
      state: 'stopped',
      why: 'stopped by ops',
    });
  });

  it('changes nothing more once its hold has run out, as another process may be at work', async () => {
    const harness = new Harness();
    putAll(harness, 1_000);
    let isDown = false;
    const down = () => {
      if (isDown) throw new StoreUnavailableError('no answer');
    };
    const jobs = processOf(harness, interrupted(harness.store, { 'jobs.change': down, 'jobs.read': down }));
    const { id } = await jobs.create({ ...DEAD_OF_Q, perSecond: 2 }, OPS);
    const running = jobs.run(await jobs.read(id)).catch(() => {});
    await harness.pass(5);
    isDown = true;
    await harness.pass(65);
    const { NEW: changed = 0 } = harness.statuses();
    expect(changed).toBeGreaterThan(50);
    await harness.pass(30);
    expect(harness.statuses().NEW).toBe(changed);
    await harness.time.until(running);
  });

  it('whose process is lost before it has counted anything is stopped, and undone', async () => {
    const harness = new Harness();
    putAll(harness, 50);
    const id = await lostRedrive(harness, 1);
    await harness.pass(61);
    expect(harness.statuses().NEW).toBeGreaterThan(0);
    const other = processOf(harness);
    expect(await other.stop(id, 'ops')).toMatchObject({ state: 'stopped', counts: { changed: 0 } });
    await harness.time.until(other.run(await other.undo(id, OPS)));
    expect(harness.statuses()).toEqual({ DEAD: 50 });
  });

  it('stops with the reason when DynamoDB does not answer any more', async () => {
    const harness = new Harness();
    putAll(harness, 10);
    const down = () => {
      throw new StoreUnavailableError('no answer');
    };
    const jobs = processOf(harness, interrupted(harness.store, { 'records.change': down }));
    const { job } = await harness.time.until(jobs.run(await jobs.create(DEAD_OF_Q, OPS)));
    expect(job).toMatchObject({ state: 'stopped', why: 'stopped with 0 changed: no answer' });
  });

  it('keeps what it needs to go on: a snooze ends at the time that it was meant for', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b']) harness.put(id);
    const jobs = processOf(harness);
    const made: NewJob = { action: 'snooze', options: { delay: '2h' }, which: { queue: 'q' }, limit: 1 };
    const { job } = await harness.time.until(jobs.run(await jobs.create(made, OPS)));
    await harness.pass(3600);
    await harness.time.until(jobs.run(await jobs.goOn(job.id)));
    expect(harness.store.items().map(({ dueAt }) => dueAt)).toEqual([iso(7200), iso(7200)]);
  });

  it('goes on at another pace, or at none, also when it is taken over', async () => {
    const harness = new Harness();
    putAll(harness, 4);
    const jobs = processOf(harness);
    const made = { ...DEAD_OF_Q, limit: 1, perSecond: 5 };
    const { job } = await harness.time.until(jobs.run(await jobs.create(made, OPS)));
    await expect(jobs.goOn(job.id, 0)).rejects.toThrow(/goOn\.perSecond: .*got 0/);
    await expect(jobs.undo(job.id, OPS, -1)).rejects.toThrow(/undo\.perSecond: .*got -1/);
    expect(await jobs.read(job.id)).toMatchObject({ state: 'stopped', perSecond: 5 });
    const slower = await jobs.goOn(job.id, 0.5);
    expect(slower).toMatchObject({ state: 'running', perSecond: 0.5 });
    await harness.time.until(jobs.run(slower));
    const before = await jobs.goOn(job.id);
    expect(before.perSecond).toBe(0.5);
    await harness.pass(61);
    const taken = await processOf(harness).goOn(job.id, Number.POSITIVE_INFINITY);
    expect(taken.perSecond).toBeUndefined();
  });

  it('counts durations from the time at which it was stored', async () => {
    const harness = new Harness();
    putAll(harness, 2);
    const jobs = processOf(harness);
    const which = { queue: ['q', 'none'], failedWithin: '10m' };
    const { job } = await harness.time.until(
      jobs.run(await jobs.create({ ...DEAD_OF_Q, which, limit: 1 }, OPS)),
    );
    await harness.pass(3600);
    await harness.time.until(jobs.run(await jobs.goOn(job.id)));
    expect(harness.statuses()).toEqual({ NEW: 2 });
  });

  it.each<[string, Partial<NewJob>, RegExp]>([
    ['a selection of nothing', { which: {} }, /expected ids, a filter/],
    ['a wrong option', { options: { queue: 'no queue' } }, /queue/],
    ['a pace of 0', { perSecond: 0 }, /perSecond/],
    [
      'more ids than an item holds',
      { which: Array.from({ length: 3000 }, (_, i) => `some-order-${i}`) },
      /too much/,
    ],
    ['a probe of what attempts nothing', { action: 'discard', probe: 5 }, /starts attempts/],
    ['a probe of too many', { probe: 6 }, /expected 1 to 5/],
    ['a wait for no queue', { which: { all: true }, whenBack: '1d' }, /needs a selection with a queue/],
  ])('is refused with %s', async (_, change, message) => {
    const jobs = processOf(new Harness());
    await expect(jobs.create({ ...DEAD_OF_Q, ...change }, OPS)).rejects.toThrow(message);
    expect((await jobs.list()).jobs).toEqual([]);
  });

  it('that is damaged, or of a newer version, leaves the list as it is', async () => {
    const harness = new Harness();
    const { job } = await runNew(harness, DEAD_OF_Q);
    const { jobs } = harness.store;
    const sound = await jobs.read(job.id);
    const damages = [
      { counts: 'many' },
      { state: 'flying' },
      { createdAt: 7 },
      { version: 2 },
      { options: null },
    ];
    for (const [i, damage] of damages.entries())
      await jobs.create(`bad${i}`, { ...sound, ...damage, rev: `b${i}` });
    const list = await processOf(harness).list();
    expect(list.jobs.map(({ id }) => id)).toEqual([job.id]);
    expect(list.unreadable).toEqual(['bad0', 'bad1', 'bad2', 'bad3', 'bad4']);
    await expect(processOf(harness).goOn('bad0')).rejects.toThrow(/damaged, or a newer version/);
    await expect(processOf(harness).goOn('none')).rejects.toThrow(/there is no job/);
  });
});
