import { describe, expect, it } from 'vitest';
import { isLost, type Job, type NewJob } from '../../src/operate/jobs/index.js';
import { Harness, START, succeed } from '../worker/harness.js';
import { DEAD_OF_Q, iso, lostAfter, OPS, processOf, putAll, runNew } from './jobs-support.js';
import { operatorOf } from './support.js';

describe('a probe', () => {
  it('lets the others follow once all of its records have succeeded', async () => {
    const harness = new Harness();
    putAll(harness, 200);
    const jobs = processOf(harness);
    const running = jobs.run(await jobs.create({ ...DEAD_OF_Q, probe: 5 }, OPS));
    await harness.pass(60);
    expect(harness.statuses()).toEqual({ NEW: 5, DEAD: 195 });
    await harness.run(succeed);
    const { job } = await harness.time.until(running);
    expect(job).toMatchObject({ state: 'done', counts: { changed: 200 }, probePassed: true });
    expect(harness.statuses()).toEqual({ SUCCESS: 5, NEW: 195 });
  });

  it('that fails stops the job, and says of how many', async () => {
    const harness = new Harness();
    putAll(harness, 200);
    const jobs = processOf(harness);
    const running = jobs.run(await jobs.create({ ...DEAD_OF_Q, probe: 5 }, OPS));
    await harness.pass(60);
    await harness.run(({ id }) => {
      if (id <= 'r0001') throw new Error('still down');
    });
    const { job } = await harness.time.until(running);
    expect(job).toMatchObject({ state: 'stopped', why: '2 of 5 failed again', counts: { changed: 5 } });
    expect(harness.statuses()).toEqual({ SUCCESS: 3, ERROR: 2, DEAD: 195 });
  });

  it.each([
    ['has changed its records', 1, { NEW: 5, DEAD: 195 }],
    ['has chosen its records, and changed none', 0, { DEAD: 200 }],
  ])('of a process that is lost once it %s goes on with these', async (_, delay, before) => {
    const harness = new Harness();
    putAll(harness, 200);
    const { killed, kill } = lostAfter(harness);
    const { id } = await killed.create({ ...DEAD_OF_Q, probe: 5 }, OPS);
    void killed.run(await killed.read(id));
    if (delay === 0) kill('records.change');
    await harness.pass(1);
    kill();
    expect(harness.statuses()).toEqual(before);
    const { probed = [] } = await processOf(harness).read(id);
    expect(probed).toHaveLength(5);
    // An operator does not want this one any more.
    await operatorOf(harness).discard(probed[0] as string, { reason: 'not wanted' });
    await harness.pass(61);
    const other = processOf(harness);
    const running = other.run((await other.takeOver(await other.read(id))) as Job);
    await harness.pass(30);
    expect(harness.statuses()).toEqual({ NEW: 4, DEAD: 196 });
    await harness.run(succeed);
    const { job } = await harness.time.until(running);
    expect(job).toMatchObject({ state: 'stopped', why: '1 of 5 failed again', probed: [] });
    expect(harness.statuses()).toEqual({ SUCCESS: 4, DEAD: 196 });
  });

  it('that was stopped goes on with its records, and then with the others', async () => {
    const harness = new Harness();
    putAll(harness, 20);
    const jobs = processOf(harness);
    const { id } = await jobs.create({ ...DEAD_OF_Q, probe: 5 }, OPS);
    const running = jobs.run(await jobs.read(id));
    await harness.pass(10);
    await jobs.stop(id, 'anna');
    await harness.time.until(running);
    const again = jobs.run(await jobs.goOn(id));
    await harness.pass(10);
    expect(harness.statuses()).toEqual({ NEW: 5, DEAD: 15 });
    await harness.run(succeed);
    expect((await harness.time.until(again)).job).toMatchObject({ state: 'done', counts: { changed: 20 } });
    expect(harness.statuses()).toEqual({ SUCCESS: 5, NEW: 15 });
  });

  it('that no run attempts ends after ten minutes', async () => {
    const harness = new Harness();
    putAll(harness, 20);
    const { job } = await runNew(harness, { ...DEAD_OF_Q, probe: 3 });
    expect(job).toMatchObject({ state: 'stopped', why: '3 of 3 did not succeed within 10 minutes' });
    expect(harness.time.now - START).toBe(600_000);
  });
});

describe('a job that its process leaves', () => {
  it.each<[string, Partial<NewJob>]>([
    ['at work', { perSecond: 5 }],
    ['in a probe', { probe: 5 }],
  ])('%s stays at work, and another process takes it over at once', async (_, change) => {
    const harness = new Harness();
    putAll(harness, 100);
    const [first, other] = [processOf(harness), processOf(harness)];
    const leave = new AbortController();
    const made = await first.create({ ...DEAD_OF_Q, ...change }, OPS);
    const running = first.run(made, { leave: leave.signal });
    await harness.pass(10);
    leave.abort();
    const { job } = await harness.time.until(running);
    expect(job).toMatchObject({ state: 'running', counts: { changed: harness.statuses().NEW } });
    expect(isLost(job, START)).toBe(true);
    expect(job.endedAt).toBeUndefined();
    const again = other.run((await other.takeOver(job)) as Job);
    await harness.pass(60);
    await harness.run(succeed);
    expect((await harness.time.until(again)).job).toMatchObject({ state: 'done', counts: { changed: 100 } });
  });
});

describe('an armed job', () => {
  const armed: NewJob = { ...DEAD_OF_Q, whenBack: '1h' };

  /** A queue whose destinations fail. `end` closes the breaker of one. */
  async function failing(...destinations: string[]) {
    const harness = new Harness();
    putAll(harness, 20);
    const open = { since: START, until: START + 60_000, token: 't' };
    const { breakers } = harness.store;
    for (const destination of destinations) await breakers.set('q', destination, open, undefined);
    const end = (destination: string) => breakers.set('q', destination, undefined, open);
    return { harness, jobs: processOf(harness), end };
  }

  it('starts when its queue works again', async () => {
    const { harness, jobs, end } = await failing('erp', 'crm');
    const created = await jobs.create(armed, OPS);
    expect(created).toMatchObject({ state: 'armed', armedUntil: iso(3600) });
    const running = jobs.run(created);
    await harness.pass(300);
    await end('erp');
    await harness.pass(300);
    expect(harness.statuses()).toEqual({ DEAD: 20 });
    await end('crm');
    await harness.pass(30);
    expect((await harness.time.until(running)).job).toMatchObject({ state: 'done', startedAt: iso(630) });
    expect(harness.statuses()).toEqual({ NEW: 20 });
  });

  it('waits for the destination of its cause alone', async () => {
    const { harness, jobs, end } = await failing('erp', 'crm');
    const which = { queue: 'q', errorName: 'HttpError 500 erp' };
    const running = jobs.run(await jobs.create({ ...armed, which }, OPS));
    await harness.pass(60);
    await end('erp');
    expect((await harness.time.until(running)).job).toMatchObject({ state: 'done', startedAt: iso(90) });
  });

  it('waits for the destination of its cause in all of its queues', async () => {
    const { harness, jobs, end } = await failing('crm');
    const open = { since: START, until: START + 60_000, token: 'r' };
    for (const queue of ['q', 'r']) await harness.store.breakers.set(queue, 'erp', open, undefined);
    const queues = { queue: ['q', 'r', 'unknown'] };
    await expect(jobs.create({ ...armed, which: queues }, OPS)).rejects.toThrow(
      /the whole cause of a failure/,
    );
    const which = { ...queues, errorName: 'HttpError 500 erp' };
    const running = jobs.run(await jobs.create({ ...armed, which }, OPS));
    await harness.pass(60);
    await harness.store.breakers.set('q', 'erp', undefined, open);
    await harness.pass(60);
    expect(harness.statuses()).toEqual({ DEAD: 20 });
    await harness.store.breakers.set('r', 'erp', undefined, open);
    expect((await harness.time.until(running)).job).toMatchObject({ state: 'done', armedFor: 'erp' });
    await end('crm');
  });

  it('does not begin in a pause, whatever has ended before', async () => {
    const { harness, jobs, end } = await failing('erp');
    const running = jobs.run(await jobs.create(armed, OPS));
    await operatorOf(harness).pause('q');
    await end('erp');
    await harness.pass(300);
    expect(harness.statuses()).toEqual({ DEAD: 20 });
    await operatorOf(harness).resume('q');
    expect((await harness.time.until(running)).job).toMatchObject({ state: 'done', startedAt: iso(330) });
  });

  it('does not take the end of a pause for a recovery', async () => {
    const { harness, jobs, end } = await failing('erp');
    const running = jobs.run(await jobs.create(armed, OPS));
    await operatorOf(harness).pause('q');
    await harness.pass(300);
    await operatorOf(harness).resume('q');
    await harness.pass(600);
    await end('erp');
    expect((await harness.time.until(running)).job).toMatchObject({ state: 'done', startedAt: iso(930) });
  });

  it('is given up at its time, or cancelled, and has changed nothing', async () => {
    const { harness, jobs } = await failing('erp');
    const { job } = await harness.time.until(jobs.run(await jobs.create(armed, OPS)));
    expect(job).toMatchObject({
      state: 'cancelled',
      why: `given up: not back by ${iso(3600).slice(0, 16).replace('T', ' ')} UTC`,
    });
    const { id } = await jobs.create(armed, OPS);
    const running = jobs.run(await jobs.read(id));
    await harness.pass(60);
    await processOf(harness).stop(id, 'anna');
    expect((await harness.time.until(running)).job).toMatchObject({
      state: 'cancelled',
      why: 'cancelled by anna',
    });
    expect(harness.statuses()).toEqual({ DEAD: 20 });
  });

  it.each(['lost', 'left'])('that is %s is taken over, and still waits', async (how) => {
    const { harness, jobs, end } = await failing('erp');
    const { id } = await jobs.create(armed, OPS);
    if (how === 'left') await jobs.run(await jobs.read(id), { leave: AbortSignal.abort() });
    else await harness.pass(90);
    const other = processOf(harness);
    const running = other.run((await other.takeOver(await other.read(id))) as Job);
    await harness.pass(60);
    expect(harness.statuses()).toEqual({ DEAD: 20 });
    await end('erp');
    expect((await harness.time.until(running)).job).toMatchObject({ state: 'done', counts: { changed: 20 } });
  });

  it('is refused where nothing fails', async () => {
    const { jobs } = await failing();
    await expect(jobs.create(armed, OPS)).rejects.toThrow(/no failure of q is known/);
  });
});
