import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { attributesOf, type Line } from '../../src/lines/line.js';
import { withEntries } from '../../src/lines/line-page.js';
import { heldLinesKey, lineKey, linePageKey, pageOf } from '../../src/lines/names.js';
import { groupBy } from '../../src/support/group-by.js';
import { backlogTables } from './backlog-tables.js';

let tables: Awaited<ReturnType<typeof backlogTables>>;
beforeAll(async () => {
  tables = await backlogTables();
});
afterAll(() => tables.stop());
beforeEach(() => tables.renew('orders', 'mail'));

const run = (...args: string[]) => tables.run('lines', ...args);
const iso = (ms: number) => new Date(Date.now() + ms).toISOString();
const MINUTE = 60_000;
const ids = (key: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => ({ id: `${key}-${from + at}`, seq: from + at }));

/** Puts a line as the intake leaves it, with the records that wait in it. */
async function putLine(key: string, line: Line, waiting: readonly { id: string; seq: number }[] = []) {
  const name = { queue: 'orders', key };
  await tables.control.put({ key: lineKey(name), ...attributesOf(line), rev: 'l' });
  for (const [page, entries] of groupBy(waiting, ({ seq }) => pageOf(seq)))
    await tables.control.put({
      key: linePageKey(name, page),
      ...withEntries({ entries: [] }, entries, line.next),
      rev: 'p',
    });
}

/** Puts the head of a line, with one failure behind it. */
async function putHead(id: string, attributes: object) {
  const lastError = { name: 'HttpError', message: 'answered 503', at: iso(-MINUTE), attempt: 1 };
  const failed = {
    attempts: 1,
    failures: 1,
    lastError,
    lastAttemptAt: iso(-MINUTE),
    insertedAt: iso(-MINUTE),
  };
  await tables.table.put({ id, queue: 'orders', payload: 1, rev: 'r', ...failed, ...attributes });
}

const head = (id: string, seq: number) => ({ id, seq, by: id, since: 0 });

async function putDead(key: string, id = `${key}-1`, followers = 30) {
  await putHead(id, { key, seq: 1, status: 'DEAD', lane: 'orders/dead', dueAt: iso(-MINUTE) });
  const waiting = ids(key, 2, followers + 1);
  await putLine(key, { next: 1, last: followers + 1, head: head(id, 1) }, [{ id, seq: 1 }, ...waiting]);
}

describe('backlog lines', () => {
  it('lists the lines that are not idle, those that need a look first', async () => {
    await putLine('done', { next: 4, last: 3 });
    await putHead('retry-3', { key: 'retry', seq: 3, status: 'ERROR', lane: 'orders', dueAt: iso(MINUTE) });
    await putLine('retry', { next: 3, last: 4, head: head('retry-3', 3) }, ids('retry', 4, 4));
    await putLine('gap', { next: 2, last: 3, gapSince: Date.now() - 5 * MINUTE }, ids('gap', 3, 3));
    await putDead('dead');
    const { code, out, err } = await run('orders');
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^3 lines of "orders" in table /) });
    const [heading, dead, gap, retry, ...rest] = out.split('\n');
    expect(rest).toEqual([]);
    expect(heading).toMatch(/^KEY +STATE +HEAD +NUMBER +WAITING +BECAUSE$/);
    expect(dead).toMatch(/^dead +held by a dead record +dead-1 +1 +30 +HttpError: answered 503$/);
    expect(gap).toMatch(/^gap +a number is missing +- +- +1 +2, since \S+ \S+ UTC \(5 min( \d+ s)?\)$/);
    expect(retry).toMatch(/^retry +tries again +retry-3 +3 +1 +HttpError: answered 503$/);
    const json = JSON.parse((await run('orders', '--json')).out);
    expect(json).toMatchObject([
      { key: 'dead', state: 'dead', head: { id: 'dead-1', seq: 1 }, waiting: 30 },
      { key: 'gap', state: 'missing', missing: { seq: 2 } },
      { key: 'retry', state: 'retrying' },
    ]);
    expect(JSON.parse((await run('orders', '--limit', '1', '--json')).out)).toHaveLength(1);
  });

  it('lists only what is held with --held, from the note of them, and says when there is more', async () => {
    const note = (keys: readonly string[], hasMore = false) =>
      tables.control.put({ key: heldLinesKey('orders'), keys, hasMore, rev: 'h' });
    expect(await run('orders', '--held')).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringMatching(/^no line of "orders" is held, in table /),
    });
    await putDead('dead', 'dead-1', 2);
    await putLine('gap', { next: 2, last: 3, gapSince: Date.now() - 5 * MINUTE }, ids('gap', 3, 3));
    await putHead('retry-3', { key: 'retry', seq: 3, status: 'ERROR', lane: 'orders', dueAt: iso(MINUTE) });
    await putLine('retry', { next: 3, last: 4, head: head('retry-3', 3) }, ids('retry', 4, 4));
    await note(['gap', 'retry', 'gone', 'dead']);
    const { code, out, err } = await run('orders', '--held');
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(/^2 held lines of "orders" in table /),
    });
    expect(out.split('\n').map((row) => row.split(' ')[0])).toEqual(['KEY', 'dead', 'gap']);
    const json = JSON.parse((await run('orders', '--held', '--json')).out);
    expect(json.map(({ key }: { key: string }) => key)).toEqual(['dead', 'gap']);
    expect(Date.parse(json[0].head.diedAt)).toBeLessThan(Date.now());
    await note(['dead'], true);
    expect((await run('orders', '--held')).err).toMatch(
      /^1 held line of "orders" in table .*\nmore are held than are noted: "backlog lines orders" lists all$/,
    );
  });

  it('shows one line: its head, the first records behind it, and what to do', async () => {
    await putDead('customer 7');
    const { code, out, err } = await run('orders', 'customer 7');
    expect(code).toBe(0);
    expect(out).toMatch(/^customer 7 in orders: held by a dead record$/m);
    expect(out).toMatch(/^head +customer 7-1 {2}number 1, DEAD, 1 attempt$/m);
    expect(out).toMatch(/^waiting +30 behind it$/m);
    expect(out).toMatch(/^to do +npx backlog redrive 'customer 7-1' /m);
    expect(out).toMatch(/^ {2}21 +customer 7-21$/m);
    expect(out).not.toContain('customer 7-22');
    expect(err).toBe('the first 20 records that wait: --limit shows more');
    const json = JSON.parse((await run('orders', 'customer 7', '--json', '--limit', '40')).out);
    expect(json).toMatchObject({ state: 'dead', waiting: 30, head: { status: 'DEAD', attempts: 1 } });
    expect(json.followers).toEqual(ids('customer 7', 2, 31));
  });

  it('says which number is missing, which were left out, and when the head is attempted', async () => {
    const leftOut = { from: 3, to: 4, at: Date.now() };
    await putLine('gap', { next: 6, last: 7, gapSince: Date.now() - MINUTE, leftOut }, ids('gap', 7, 7));
    const gap = (await run('orders', 'gap')).out;
    expect(gap).toMatch(/^waiting +1$/m);
    expect(gap).toMatch(/^missing +6, since \S+ \S+ UTC \(1 min\)$/m);
    expect(gap).toMatch(/^left out +3 to 4, not there at /m);
    expect(gap).toMatch(/^to do +insert number 6; or wait/m);
    await putHead('late', { key: 'retry', seq: 1, status: 'ERROR', lane: 'orders', dueAt: iso(90 * MINUTE) });
    await putLine('retry', { next: 1, last: 1, head: head('late', 1) });
    expect((await run('orders', 'retry')).out).toMatch(
      /^head +late {2}number 1, ERROR, 1 attempt, next attempt: in 1 h/m,
    );
    const fresh = { status: 'NEW', attempts: 0, failures: 0, lastAttemptAt: undefined, lastError: undefined };
    await putHead('fresh', { key: 'fresh', seq: 1, ...fresh });
    await putLine('fresh', { next: 1, last: 1, head: head('fresh', 1) });
    expect((await run('orders', 'fresh')).out).toMatch(
      /: first attempt\nhead +fresh {2}number 1, NEW, 0 attempts, attempted as it has come$/m,
    );
    await putLine('removed', { next: 2, last: 3, head: head('gone', 1) });
    expect((await run('orders', 'removed')).out).toMatch(/^head +gone {2}number 1, removed$/m);
  });

  it('lets no key, id or error play tricks on the terminal, nor a damaged line stop it', async () => {
    const hostile = 'a\u001b[2J\u202eb\n';
    await putDead(hostile, `id${hostile}`, 2);
    const lastError = { name: hostile, message: `x${hostile}`, at: iso(0), attempt: 1 };
    await putHead(`id${hostile}`, { status: 'DEAD', lane: 'orders/dead', dueAt: iso(0), lastError });
    await tables.control.put({
      key: 'line#orders#odd',
      rev: 'l',
      next: {},
      last: '9',
      head: [1],
      gapSince: 1,
    });
    for (const { code, out } of [await run('orders'), await run('orders', hostile)]) {
      expect(code).toBe(0);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
      expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    }
    expect((await run('orders', hostile)).out).toContain('npx backlog redrive ID ');
    expect((await run('orders')).out).toMatch(/^odd +a number is missing/m);
  });

  it.each([
    [['orders'], 0, /^no line of "orders" has records that wait, in table /],
    [['ordres'], 2, /has no queue "ordres"; did you mean "orders"\?/],
    [['ordres', 'key'], 2, /has no queue "ordres"; did you mean "orders"\?/],
    [
      ['orders', 'none'],
      1,
      /^no line of "none" in "orders": no record with this key and a number has come\./,
    ],
    [['a b'], 2, /Expected the name of a queue/],
    [['ordres', '--held'], 2, /has no queue "ordres"; did you mean "orders"\?/],
    [['orders', 'key', '--held'], 2, /--held: expected no key beside it, got "key"/],
    [[], 2, /missing required argument 'queue'/],
    [['orders', 'x'.repeat(257)], 2, /key: expected text of 1 to 256 bytes/],
    [['orders', '--limit', '0'], 2, /Expected a whole number from 1/],
  ])('says what is wrong with %j', async (args, code, message) => {
    expect(await run(...args)).toMatchObject({ code, err: expect.stringMatching(message) });
  });
});
