import { describe, expect, it } from 'vitest';
import { Jobs, type NewJob, Tables } from '../../src/engine.js';
import { consoleUnderTest, dead, get, post } from './console-under-test.js';

const REDRIVE: NewJob = { action: 'redrive', which: { queue: 'orders' }, limit: 1, total: 2 };

/** A console, and a job of a command line that has stopped after one of two records. */
async function stopped(changes = {}) {
  const console = consoleUnderTest(changes);
  const { store, clock } = console;
  for (const id of ['a', 'b']) store.put(dead(id));
  const jobs = new Jobs(new Tables({ table: 'Records', controlTable: 'Control', store, clock }));
  const { job } = await jobs.run(await jobs.create(REDRIVE, { by: '<b>anna', from: 'command line' }));
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
      /Jobs: 1 stopped\..*Redrive.*of orders.*Stopped at 1 of 2: the limit of 1 is reached/s,
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
    expect((await get(console.app, '/jobs')).text).toContain('Undone by job');
  });

  it('takes over a job whose process is gone, unless it may only read', async () => {
    for (const access of [
      { write: false, reason: 'read-only' } as const,
      { write: true, as: 'ops' } as const,
    ]) {
      const console = await stopped({ access });
      await console.jobs.goOn(console.id);
      console.time.now += 30_000;
      expect((await get(console.app, '/jobs')).text).toContain('Jobs: 1 running');
      console.time.now += 31_000;
      await get(console.app, '/jobs');
      if (access.write) await ended(console);
      expect((await console.jobs.read(console.id)).counts.changed).toBe(access.write ? 2 : 1);
    }
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
    const readOnly = await stopped({ access: { write: false, reason: 'read-only' } });
    expect((await get(readOnly.app, '/jobs')).text).not.toContain('<form');
    expect((await post(readOnly.app, `/jobs/go-on?id=${readOnly.id}`, { csrf: 'x', seen: '' })).status).toBe(
      403,
    );
  });
});
