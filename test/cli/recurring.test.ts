import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backlogTables } from './backlog-tables.js';
import { backlog } from './in-process.js';

let tables: Awaited<ReturnType<typeof backlogTables>>;
beforeAll(async () => {
  tables = await backlogTables();
});
afterAll(() => tables.stop());
beforeEach(() => tables.renew('orders', 'recurring'));

const operate = (...args: string[]) => backlog('recurring', ...args, ...tables.at);
const json = async (...args: string[]) => JSON.parse((await operate(...args, '--json')).out);
const DAILY = ['--schedule', 'cron(0 3 * * ? *)', '--time-zone', 'Europe/Berlin', '--queue', 'orders'];
const HOUR = 3_600_000;
const iso = (ms: number) => new Date(Date.now() + ms).toISOString();

/** The stored schedule of a name. */
const schedule = async (name: string) =>
  (await tables.table.all()).find(({ id }) => id === `recurring:${name}`) ?? {};
const ids = async () => (await tables.table.all()).map(({ id }) => String(id)).sort();

/** One that the CDK app has written. */
async function putOfApp(name: string) {
  await operate('put', name, ...DAILY);
  const stored = await schedule(name);
  await tables.table.put({ ...stored, payload: { ...(stored.payload as object), template: 'f' } });
}

describe('backlog recurring', () => {
  it('puts one, lists it, pauses it, resumes it, and removes it', async () => {
    const options = [
      '--payload',
      '{"report":"sales"}',
      '--jitter',
      '10m',
      '--missed',
      'all',
      '--task',
      'report',
      '--key',
      'c 7\u202e',
    ];
    const put = await operate('put', 'nightly-report', ...DAILY, ...options);
    expect(put).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^nightly-report of table Records .* is new; next \S+ \d\d:00 UTC, in /),
    });
    expect((await schedule('nightly-report')).payload).toEqual({
      ...{ schedule: 'cron(0 3 * * ? *)', timeZone: 'Europe/Berlin', queue: 'orders', task: 'report' },
      key: 'c 7\u202e',
      ...{ payload: { report: 'sales' }, jitter: 600, missed: 'all' },
    });
    expect((await operate('put', 'nightly-report', ...DAILY, ...options)).err).toMatch(/ is so already; /);
    expect((await operate('show', 'nightly-report')).out).toMatch(/^key +c 7 $/m);
    expect((await operate('put', 'nightly-report', ...DAILY)).err).toMatch(/ is changed; /);

    const listed = await operate();
    expect(listed.out).toMatch(
      /^NAME +SCHEDULE +QUEUE +NEXT, UTC +STATE +ORIGIN\nnightly-report +cron\(0 3 \* \* \? \*\) Europe\/Berlin +orders +\S+ \d\d:00 +in .* +waiting +application$/,
    );
    expect(listed.err).toMatch(/^1 recurring record in table Records/);

    const paused = await operate(
      'pause',
      'nightly-report',
      '--until',
      '2d',
      '--reason',
      'stocktaking',
      '--by',
      'anna',
    );
    expect(paused.err).toMatch(/ is paused until \S+ \d\d:\d\d UTC: stocktaking, by anna; next /);
    expect((await operate('list')).out).toMatch(
      / paused for \d+ m?s, until .* UTC: stocktaking, by anna +app/,
    );
    expect(await json('resume', 'nightly-report')).toMatchObject({ changed: true });
    expect((await operate('resume', 'nightly-report')).err).toMatch(/ is not paused already; next /);

    expect((await operate('remove', 'nightly-report')).err).toMatch(/there is no terminal to ask at/);
    expect((await operate('remove', 'nightly-report', '--yes')).err).toMatch(/ is removed$/m);
    expect(await operate()).toMatchObject({ code: 0, out: '' });
    expect(await json('list')).toEqual([]);
  });

  it('lists those in trouble first, with their problem, and keeps texts from playing tricks', async () => {
    await operate('put', 'a-good-one', ...DAILY);
    await operate('put', 'fails', ...DAILY);
    await tables.table.put(
      {
        ...(await schedule('fails')),
        ...{
          status: 'ERROR',
          failures: 2,
          lastError: { name: 'E', message: 'no \u001b[2Jaccess', at: iso(-HOUR) },
        },
      },
      {
        ...{
          id: 'recurring:given-up',
          status: 'DEAD',
          queue: 'recurring',
          payload: 7,
          lane: 'recurring/dead',
        },
        ...{ insertedAt: iso(-HOUR), dueAt: iso(-HOUR), deadReason: 'payload: \u202eexpected', rev: 'r' },
      },
    );
    const { out } = await operate();
    expect(
      out
        .split('\n')
        .slice(1)
        .map((line) => line.split(' ')[0]),
    ).toEqual(['given-up', 'fails', 'a-good-one']);
    expect(out).toMatch(/dead: payload: {2}expected/);
    expect(out).toMatch(/failing: no {2}\[2Jaccess/);
    expect(await json('list')).toMatchObject([{ state: 'dead' }, { state: 'failing' }, { state: 'waiting' }]);
  });

  it('shows the next occurrences, and the records of the last ones', async () => {
    const from = iso(-3 * HOUR);
    await operate('put', 'hourly', '--schedule', 'rate(1 hour)', '--start-at', from);
    await tables.table.put({ ...(await schedule('hourly')), insertedAt: from });
    await operate('backfill', 'hourly', '--from', iso(-1.5 * HOUR), '--yes');
    const shown = await json('show', 'hourly');
    expect(shown).toMatchObject({
      name: 'hourly',
      state: 'waiting',
      definition: { schedule: 'rate(1 hour)' },
    });
    expect(shown.upcoming).toHaveLength(5);
    expect(shown.upcoming[0]).toBe(shown.next);
    expect(shown.latest.map(({ status }: { status?: string }) => status).slice(0, 3)).toEqual([
      'NEW',
      'NEW',
      undefined,
    ]);
    const { out } = await operate('show', 'hourly');
    expect(out).toMatch(/^schedule +rate\(1 hour\) {2}\(every hour\)\n/m);
    expect(out).toMatch(/^next occurrences\n( {2}\S+ {2}\(in .*\)\n){5}/m);
    expect(out).toMatch(
      /^ {2}hourly@\S+Z {2}NEW\n( {2}hourly@.*\n)* {2}hourly@\S+Z {2}no record: passed over/m,
    );
    await operate('put', 'berlin', ...DAILY);
    expect((await operate('show', 'berlin')).out).toMatch(/\(\w{3},? \d+ \w+,? 03:00 in Europe\/Berlin, in /);
  });

  it('runs one now, and back-fills a time after it has counted', async () => {
    await operate('put', 'hourly', '--schedule', 'rate(1 hour)', '--start-at', '2026-01-01T00:00Z');
    const ran = await json('run', 'hourly');
    expect(ran).toMatchObject({ inserted: true, id: expect.stringMatching(/^hourly@/) });
    const time = ['--from', '2026-01-01T00:00Z', '--to', '2026-01-01T04:00Z'];
    const trial = await operate('backfill', 'hourly', ...time, '--dry-run');
    expect(trial.err).toMatch(
      /^5 records \(hourly@2026-01-01T00:00Z, .*, …\) would be inserted into table Records/,
    );
    expect(await ids()).toHaveLength(2);
    expect((await operate('backfill', 'hourly', ...time)).err).toMatch(
      /look with --dry-run, then give --yes/,
    );
    expect((await operate('backfill', 'hourly', ...time, '--yes')).err).toMatch(/^5 records inserted into/);
    expect(await ids()).toHaveLength(7);
    expect((await operate('backfill', 'hourly', ...time, '--yes')).err).toMatch(
      /^0 records would be inserted into .*; 5 records of that time already there$/,
    );
  });

  it('says of one in the CDK app what deployments do with it', async () => {
    await putOfApp('report');
    expect((await operate()).out).toMatch(/ CDK app$/m);
    expect((await operate('put', 'report', ...DAILY, '--task', 'x')).err).toMatch(
      /^it is in the CDK app: the definition there comes back with the first deployment that changes it$/m,
    );
    expect((await operate('pause', 'report')).err).toMatch(
      /^it is in the CDK app, whose deployments leave the pause/m,
    );
    expect((await operate('remove', 'report', '--yes')).err).toMatch(/take it out there, or pause it/);
  });

  it('warns that nothing looks at them', async () => {
    await tables.renew('orders');
    const warning = /^warning: no function looks at recurring records yet: set the prop recurring/m;
    expect((await operate('put', 'report', ...DAILY)).err).toMatch(warning);
    expect((await operate()).err).toMatch(warning);
  });

  it('hides the payload of its records as it hides theirs', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'backlog-recurring-')), 'redact.mjs');
    await writeFile(
      file,
      "export default (payload, { queue }) => ({ ...payload, secret: 'hidden of ' + queue });",
    );
    await operate('put', 'report', ...DAILY, '--payload', '{"secret":"p4ssw0rd","kind":7}');
    const shown = [
      await operate('show', 'report', '--redact', file),
      await operate('show', 'report', '--redact', file, '--json'),
      await operate('list', '--redact', file, '--json'),
      await backlog('show', 'recurring:report', '--redact', file, ...tables.at.slice(0, 4)),
    ];
    for (const { out } of shown) {
      expect(out).not.toContain('p4ssw0rd');
      expect(out).toContain('hidden of orders');
    }
  });

  it('leaves the record of a schedule to the other commands', async () => {
    await operate('put', 'report', ...DAILY);
    const at = tables.at.slice(0, 4);
    expect((await backlog('show', 'recurring:report', ...at)).out).toMatch(/^queue +recurring$/m);
    expect((await backlog('list', '--queue', 'recurring', ...at)).out).toMatch(/recurring:report/);
  });

  it.each([
    [['fly'], 2, /expected list, show, put, remove, pause, resume, run, backfill, got "fly"/],
    [['puse', 'x'], 2, /got "puse"; did you mean "pause"\?/],
    [['show'], 2, /show: which recurring record\?/],
    [['list', 'x'], 2, /list: expected no name/],
    [['put', 'x'], 2, /put: expected --schedule, such as/],
    [['backfill', 'report'], 2, /backfill: expected --from/],
    [['run', 'report', '--reason', 'x'], 2, /--reason: only with pause/],
    [['pause', 'report', '--time-zone', 'UTC'], 2, /--time-zone: only with put/],
    [['put', 'x', '--schedule', 'cron(61 3 * * ? *)'], 2, /recurring\.x\.schedule: .*61/],
    [['put', 'x', '--schedule', 'rate(1 hour)', '--payload', '{'], 2, /--payload: expected JSON/],
    [['put', 'x', '--schedule', 'rate(1 hour)', '--set', 'unit=3'], 2, /--set: only with --policy/],
    [
      ['put', 'x', '--schedule', 'rate(1 hour)', '--queue', 'ordres'],
      2,
      /no queue "ordres"; did you mean "orders"\?/,
    ],
    [['pause', 'report', '--until', 'yesterday'], 2, /pause\.until: expected a time that lies ahead/],
    [['show', 'reprot'], 1, /no recurring record "reprot" in table Records .*; did you mean "report"\?/],
    [['run', 'a b'], 2, /recurring: expected a name of letters/],
  ])('says what is wrong with %j', async (args, code, message) => {
    await operate('put', 'report', ...DAILY);
    const { err, ...answer } = await operate(...args);
    expect(err).toMatch(message);
    if (code === 1) expect(answer.code).toBe(1);
    else expect(answer.code).toBeUndefined();
  });
});
