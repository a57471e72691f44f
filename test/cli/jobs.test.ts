import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jobsAt, workOn } from '../../tools/src/cli/operate/run-job.js';
import { tablesAt } from '../../tools/src/cli/operate/target.js';
import { backlogTables } from './backlog-tables.js';
import { backlog } from './in-process.js';

let tables: Awaited<ReturnType<typeof backlogTables>>;
beforeAll(async () => {
  tables = await backlogTables();
});
afterAll(() => tables.stop());
beforeEach(() => tables.renew('orders'));

const dead = (id: string) => ({
  ...{ id, status: 'DEAD', payload: {}, queue: 'orders', insertedAt: '2026-01-01T00:00:00.000Z', rev: 'r' },
  ...{ lane: 'orders/dead', dueAt: '2026-01-02T00:00:00.000Z', deadReason: 'maxAttempts', failures: 3 },
});

async function operate(...args: string[]) {
  const { code, out, err } = await backlog(...args, ...tables.at);
  return { code, out, err, id: /^job (\w+):/m.exec(err)?.[1] ?? '' };
}

const statuses = async () => (await tables.table.all()).map(({ status }) => status).sort();

describe('backlog jobs', () => {
  it('lists what a selection has started, goes on with the rest, and undoes it', async () => {
    await tables.table.put(...['a', 'b', 'c'].map(dead));
    const begun = await operate('redrive', '--queue', 'orders', '--limit', '2', '--yes');
    expect(begun.err).toMatch(/^backlog jobs go-on \w+ --endpoint \S+ .* goes on with the rest$/m);
    const { id } = begun;
    expect((await operate('jobs')).out).toMatch(
      new RegExp(`${id} +Redrive +of orders +.*, command line .*Stopped at 2: the limit of 2 is reached`),
    );
    expect(await operate('jobs', 'go-on', id, '--per-second', '50')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^1 record redriven: /),
    });
    expect((await operate('jobs', 'show', id)).out).toMatch(/\npace +50 a second\n(.*\n)+state +Done, 3$/m);
    expect(await statuses()).toEqual(['NEW', 'NEW', 'NEW']);
    const undone = await operate('jobs', 'undo', id);
    expect(undone).toMatchObject({ code: 0, out: expect.stringMatching(/^3 records put back: /) });
    expect(await statuses()).toEqual(['DEAD', 'DEAD', 'DEAD']);
    const listed = JSON.parse((await operate('jobs', '--json')).out);
    expect(listed).toMatchObject([
      { id: undone.id, action: 'undo', state: 'done', counts: { changed: 3 } },
      { id, action: 'redrive', state: 'done', undoneBy: undone.id },
    ]);
  });

  it('says that the process of a job is lost, and goes on with it', async () => {
    await tables.table.put(...['a', 'b'].map(dead));
    const { id } = await operate('redrive', '--queue', 'orders', '--limit', '1', '--yes');
    const [stored] = (await tables.control.all()).filter(({ key }) => key === `job#${id}`);
    await tables.control.put({ ...stored, state: 'running', holder: 'lost', until: Date.now() - 1_000 });
    expect((await operate('jobs')).out).toMatch(
      new RegExp(`Process lost at 1: "backlog jobs go-on ${id}" goes on with it`),
    );
    expect(JSON.parse((await operate('jobs', '--json')).out)).toMatchObject([{ id, lost: true }]);
    expect((await operate('jobs', 'go-on', id)).out).toMatch(/^1 record redriven: /);
    expect(await statuses()).toEqual(['NEW', 'NEW']);
  });

  it('shows until when a job is armed', async () => {
    await tables.table.put(dead('a'));
    const { id } = await operate('redrive', '--queue', 'orders', '--yes');
    const [stored] = (await tables.control.all()).filter(({ key }) => key === `job#${id}`);
    const armed = { state: 'armed', armedUntil: '2026-11-28T11:15:29.855Z' };
    await tables.control.put({ ...stored, ...armed, holder: 'x', until: Date.now() + 60_000 });
    expect((await operate('jobs')).out).toMatch(/Armed until 2026-11-28 11:15 UTC$/m);
  });

  it('does not say after a probe that failed that the same command goes on', async () => {
    await tables.table.put(dead('a'), dead('b'));
    const { id } = await operate('redrive', '--queue', 'orders', '--limit', '1', '--yes');
    const at = await tablesAt({ endpoint: tables.endpoint, table: 'Records', controlTable: 'Control' });
    const stopped = await jobsAt(at).read(id);
    const run = async (why: string, probe?: number) => {
      const result = {
        matched: 1,
        changed: 1,
        delayed: 0,
        skipped: {},
        failed: 0,
        failures: [],
        examples: [],
      };
      const units = { ended: 'limit', readUnits: 0, writeUnits: 0 };
      const jobs = {
        run: async () => ({ job: { ...stopped, why, probe }, result: { ...result, ...units } }),
      };
      const lines: string[] = [];
      const output = {
        data: (line: string) => lines.push(line),
        message: (line: string) => lines.push(line),
      };
      const context = { jobs: jobs as never, flags: {}, at, signal: AbortSignal.abort() };
      return { code: await workOn(stopped, context, output), text: lines.join('\n') };
    };
    const goesOn = /the limit is reached: the same command goes on/;
    expect(await run('the limit of 1 is reached')).toMatchObject({
      code: 0,
      text: expect.stringMatching(goesOn),
    });
    const probed = await run('1 of 1 failed again', 1);
    expect(probed).toMatchObject({ code: 1, text: expect.not.stringMatching(goesOn) });
    expect(probed.text).toContain('stopped at 1: 1 of 1 failed again');
    at.target.client.destroy();
  });

  it('makes no job of records that are named, nor of a dry run', async () => {
    await tables.table.put(dead('a'), dead('b'));
    await operate('redrive', 'a');
    await operate('redrive', '--queue', 'orders', '--dry-run');
    expect(await operate('jobs')).toMatchObject({ code: 0, out: '', err: 'no bulk job in the last 30 days' });
  });

  it('keeps payloads to itself, and texts of others from playing tricks', async () => {
    await tables.table.put(dead('a'));
    const { id } = await operate('edit', '--queue', 'orders', '--payload', '{"secret":7}', '--yes');
    for (const args of [
      ['jobs', '--json'],
      ['jobs', 'show', id, '--json'],
      ['jobs', 'show', id],
    ]) {
      expect((await operate(...args)).out).not.toMatch(/secret/);
    }
    const [stored] = (await tables.control.all()).filter(({ key }) => key === `job#${id}`);
    await tables.control.put(
      { ...stored, key: 'job#tricky2', id: 'tricky2', by: '\u001b[2J\u202eops', why: 'x\ny' },
      { ...stored, key: 'job#bad', counts: 7 },
    );
    const { code, out, err } = await operate('jobs');
    expect(code).toBe(3);
    expect(out).toMatch(/ {2}\[2J ops, command line/);
    expect(out.split('\n')).toHaveLength(3);
    expect(err).toBe('not readable, as they are damaged or of a newer version: bad');
  });

  it.each([
    [['jobs', 'fly', 'x'], /expected show, stop, go-on, undo, got "fly"/],
    [['jobs', 'stop'], /stop: which job\?/],
    [['jobs', 'stop', 'x', '--per-second', '5'], /--per-second: only with go-on and undo/],
    [['jobs', 'go-on', 'x', '--per-second', '0'], /'--per-second <n>' argument '0' is invalid/],
    [['jobs', 'show', 'nobody2'], /there is no job "nobody2"/],
    [['redrive', '--queue', 'orders', '--yes', '--when-back'], /no failure of orders is known/],
    [['redrive', '--queue', 'orders', '--yes', '--until', '2h'], /--until: only with --when-back/],
    [['redrive', '--queue', 'orders', '--dry-run', '--probe', '5'], /--dry-run changes nothing/],
  ])('says what is wrong with %j', async (args, message) => {
    expect((await operate(...args)).err).toMatch(message);
  });
});
