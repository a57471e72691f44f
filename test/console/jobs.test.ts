import { describe, expect, it } from 'vitest';
import { isLost, Jobs, type NewJob, Tables } from '../../src/engine.js';
import { consoleUnderTest, dead, get, HOUR, post } from './console-under-test.js';

const BY = { by: '<b>anna', from: 'command line' };
const READ_ONLY = { write: false, reason: 'read-only' } as const;
const REDRIVE: NewJob = { action: 'redrive', which: { queue: 'orders' }, limit: 1, total: 2 };

/** A console, and a job of a command line that has stopped after one of two records. */
async function stopped(changes = {}, how: Partial<NewJob> = {}) {
  const console = consoleUnderTest(changes);
  const { store, clock } = console;
  for (const id of ['a', 'b']) store.put(dead(id));
  const jobs = new Jobs(new Tables({ table: 'Records', controlTable: 'Control', store, clock }));
  const { job } = await jobs.run(await jobs.create({ ...REDRIVE, ...how }, BY));
  return { ...console, jobs, id: job.id };
}

const statuses = ({ store }: Awaited<ReturnType<typeof stopped>>) =>
  store.items().map(({ status }) => status);

/** Waits until the job of the console has ended. */
async function ended({ jobs }: Awaited<ReturnType<typeof stopped>>) {
  for (;;) {
    const { jobs: all } = await jobs.list();
    if (all.every(({ state, holder }) => state !== 'running' && holder === undefined)) return all;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the page of the jobs', () => {
  it('shows a stopped job, goes on with it, and undoes it', async () => {
    const console = await stopped();
    const { text } = await get(console.app, '/jobs');
    expect(text).toMatch(
      /Jobs: 1 stopped\..*Redrive.*Stopped.*of orders.*<b>1 of 2<\/b> redriven.*the limit of 1 is reached/s,
    );
    expect(text).toContain('&lt;b&gt;anna');
    expect(text).toContain('Undo 1');
    expect((await post(console.app, `/jobs/go-on?id=${console.id}`, {}, {}, '/jobs')).status).toBe(303);
    await ended(console);
    expect(statuses(console)).toEqual(['NEW', 'NEW']);
    const undo = await post(console.app, `/jobs/undo?id=${console.id}`, {}, {}, '/jobs');
    expect((await get(console.app, undo.location)).text).toContain('It is being undone');
    await ended(console);
    expect(statuses(console)).toEqual(['DEAD', 'DEAD']);
    expect(console.log.map(({ result }) => result)).toEqual([
      'Stopped at 2 of 2: the limit of 1 is reached',
      'Done, 2',
    ]);
    expect((await get(console.app, '/jobs')).text).toContain('undone by job');
  });

  it.each([
    ['5', 5],
    ['0', undefined],
    ['', 30],
    ['0.5', 0.5],
  ])('goes on at another pace: %j', async (pace, perSecond) => {
    const console = await stopped({}, { perSecond: 30 });
    const { text } = await get(console.app, '/jobs');
    expect(text).toMatch(/At another pace….*<option value="30" selected="">30 a second: under a second</s);
    await post(console.app, `/jobs/go-on?id=${console.id}`, { pace }, {}, '/jobs');
    expect((await ended(console))[0]).toMatchObject({ counts: { changed: 2 } });
    expect((await console.jobs.read(console.id)).perSecond).toBe(perSecond);
  });

  it.each(['-1', 'fast', '1e9'])('does not go on at a pace that is none: %j', async (pace) => {
    const console = await stopped();
    const { status, text } = await post(console.app, `/jobs/go-on?id=${console.id}`, { pace }, {}, '/jobs');
    expect({ status, text }).toEqual({
      status: 422,
      text: expect.stringMatching(/(?:pace|goOn\.perSecond): expected/),
    });
    expect(await console.jobs.read(console.id)).toMatchObject({ state: 'stopped', counts: { changed: 1 } });
  });

  it('says that the process of a job is lost, and takes the job over unless the console may only read', async () => {
    for (const access of [READ_ONLY, { write: true, as: 'ops' } as const]) {
      const console = await stopped({ access });
      await console.jobs.goOn(console.id);
      console.time.now += 30_000;
      expect((await get(console.app, '/jobs')).text).toContain('Jobs: 1 running');
      console.time.now += 31_000;
      const { text } = await get(console.app, '/jobs');
      if (access.write) {
        expect(text).toContain('Jobs: 1 running');
        await ended(console);
      } else {
        expect(text).toMatch(/Jobs: 1 without a process.*Process lost.*1 of 2.*backlog jobs go-on/s);
      }
      expect((await console.jobs.read(console.id)).counts.changed).toBe(access.write ? 2 : 1);
    }
  });

  it('has jobs go on from the start of the console, once their process is lost', async () => {
    const console = await stopped();
    await console.jobs.goOn(console.id);
    let asked = 0;
    const list = console.store.jobs.list.bind(console.store.jobs);
    console.store.jobs.list = () => {
      // Another process holds it for a minute; the console looks every 30 seconds.
      if (asked++ > 0) console.time.now += 30_000;
      return list();
    };
    await console.runner.watch();
    expect(asked).toBe(3);
    await ended(console);
    expect(await console.jobs.read(console.id)).toMatchObject({ counts: { changed: 2 } });
    expect(statuses(console)).toEqual(['NEW', 'NEW']);
  });

  it('leaves them at work when the console ends, for the next one', async () => {
    const console = await stopped();
    const { id } = console;
    console.runner.start(await console.jobs.goOn(id));
    await console.runner.leave();
    await console.runner.watch();
    expect(console.log.map(({ result }) => result)).toEqual([
      expect.stringMatching(/^the console has ended/),
    ]);
    const left = await console.jobs.read(id);
    expect(left).toMatchObject({ state: 'running', counts: { changed: 1 } });
    expect(isLost(left, console.time.now)).toBe(true);
  });

  it('says of jobs that cannot be read, and refuses what cannot be', async () => {
    const console = await stopped();
    await console.store.jobs.create('<i>bad', { version: 99, rev: 'r' });
    expect((await get(console.app, '/jobs')).text).toContain('1 job cannot be read');
    const refused = await post(console.app, `/jobs/stop?id=${console.id}`, {}, {}, '/jobs');
    expect(refused).toMatchObject({ status: 422, text: expect.stringContaining('not at work') });
    expect((await post(console.app, `/jobs/undo?id=${console.id}`, { csrf: 'x', seen: '' })).status).toBe(
      403,
    );
    const readOnly = await stopped({ access: READ_ONLY });
    expect((await get(readOnly.app, '/jobs')).text).not.toContain('<form');
    expect((await post(readOnly.app, `/jobs/go-on?id=${readOnly.id}`, { csrf: 'x', seen: '' })).status).toBe(
      403,
    );
  });
});

describe('the strip of the other pages', () => {
  const stripOf = async ({ app }: Awaited<ReturnType<typeof stopped>>, path = '/') =>
    /<div data-live="job">(.*?)<\/aside>/s.exec((await get(app, path)).text)?.[1]?.replace(/<[^>]+>/g, ' ') ??
    '';

  it('has the job that needs attention most, until a while after its end', async () => {
    const console = await stopped();
    const { jobs, time } = console;
    expect(await stripOf(console)).toMatch(/Redrive .* of orders .*Stopped at 1 of 2: .* Go on .* All jobs/);
    const done = await jobs.run(await jobs.create({ action: 'runNow', which: ['a'] }, BY));
    expect(done.job.state).toBe('done');
    expect(await stripOf(console)).toMatch(/Redrive/);
    await jobs.goOn(console.id);
    time.now += 5_000;
    expect(await stripOf(console, '/records')).toMatch(/Redrive .*Running, 1 of 2 .* Stop /);
    expect(await stripOf(console, '/jobs')).toBe('');
    await jobs.stop(console.id, 'anna');
    time.now += 59_000;
    expect(await stripOf(console)).toMatch(/Stopped at 1 of 2: stopped by anna/);
    time.now += HOUR;
    expect(await stripOf(console)).toBe('');
  });

  it('has one that is done for a minute, and takes over one whose process is lost', async () => {
    const console = await stopped();
    await console.jobs.goOn(console.id);
    console.time.now += 61_000;
    expect(await stripOf(console)).toMatch(/Process lost at 1 of 2/);
    await ended(console);
    expect((await console.jobs.read(console.id)).counts.changed).toBe(2);
    const { id } = await console.runner.begin({ action: 'snooze', options: { delay: '1h' }, which: ['a'] });
    while ((await console.jobs.read(id)).state !== 'done') await new Promise(setImmediate);
    await console.jobs.undo(console.id, BY).then((undo) => console.jobs.run(undo));
    expect(await stripOf(console)).toMatch(/Snooze .*Done, 1/);
    console.time.now += 60_000;
    expect(await stripOf(console)).toBe('');
  });

  it('is left out where the counts of the last page are too old to say', async () => {
    const console = await stopped();
    expect(await stripOf(console)).toMatch(/Stopped at 1 of 2/);
    console.time.now += 30_000;
    expect(await stripOf(console, '/nowhere')).toMatch(/Stopped at 1 of 2/);
    console.time.now += 1_000;
    expect(await stripOf(console, '/nowhere')).toBe('');
  });

  it('costs no request beside those of the page, however many pages ask', async () => {
    const console = await stopped({ countsForMs: 5_000 });
    // The read of the control table asks for the jobs, too.
    let lists = 0;
    const { jobs } = console.store;
    const list = jobs.list.bind(jobs);
    jobs.list = () => list().finally(() => lists++);
    for (const path of ['/', '/records', '/failures', '/tiers']) {
      expect(await stripOf(console, path)).toContain('Stopped at 1 of 2');
    }
    expect(lists).toBe(1);
  });
});
