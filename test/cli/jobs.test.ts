import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
