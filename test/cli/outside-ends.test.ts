import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { outsideWaiting, waitingToken } from '../outside-waiting.js';
import { backlogTables } from './backlog-tables.js';
import { backlog } from './in-process.js';

let tables: Awaited<ReturnType<typeof backlogTables>>;
let { table } = {} as typeof tables;

beforeAll(async () => {
  tables = await backlogTables();
  ({ table } = tables);
});
afterAll(() => tables.stop());
beforeEach(() => tables.renew('orders'));

const HOUR = 3_600_000;
const iso = (ms = 0) => new Date(Date.now() + ms).toISOString();
const record = (id: string, attributes: Record<string, unknown> = {}) => ({
  id,
  status: 'NEW',
  payload: { amount: 7 },
  queue: 'orders',
  insertedAt: iso(-HOUR),
  lane: 'orders',
  dueAt: iso(HOUR),
  rev: 'r1',
  ...attributes,
});
const WAITING_TOKEN = waitingToken(record('a'), 'dynamodb');
const waiting = (id: string, more: Record<string, unknown> = {}) =>
  outsideWaiting(record(id), iso(48 * HOUR + 60_000), { token: WAITING_TOKEN, ...more });

/** Commands that only look take no control table. */
const look = (...args: string[]) => backlog(...args, ...tables.at.slice(0, 4));

describe('backlog complete', () => {
  it('completes a record by its id, with a result', async () => {
    await table.put(waiting('a b/ü'));
    const { code, out } = await tables.run('complete', 'a b/ü', '--result', '{"by": "finance"}');
    expect({ code, out }).toEqual({ code: 0, out: 'a b/ü: completed: it has succeeded' });
    expect(await table.get('a b/ü')).toMatchObject({
      status: 'SUCCESS',
      result: '{"by":"finance"}',
      rev: WAITING_TOKEN,
    });
    const again = await tables.run('complete', 'a b/ü');
    expect(again).toMatchObject({ code: 3, out: 'a b/ü: not completed: it has succeeded already' });
  });

  it('prints its answer for programs, also a refused one', async () => {
    await table.put(waiting('a'), record('new'));
    const run = async (...args: string[]) => {
      const { code, out } = await tables.run('complete', ...args, '--json');
      return [code, JSON.parse(out)];
    };
    expect(await run('new')).toEqual([3, { id: 'new', accepted: false, reason: 'notWaiting' }]);
    expect(await run('no')).toEqual([3, { id: 'no', accepted: false, reason: 'notFound' }]);
    const old = WAITING_TOKEN.replace('ken', 'kin');
    expect(await run('a', '--token', old)).toEqual([3, { id: 'a', accepted: false, reason: 'oldToken' }]);
    expect(await run('a', '--token', WAITING_TOKEN)).toEqual([0, { id: 'a', accepted: true }]);
  });
});

it('backlog fail leaves the failure to the next run of the queue', async () => {
  await table.put(waiting('a'));
  const { code, out } = await tables.run('fail', 'a', '--error', 'not approved');
  expect({ code, out }).toEqual({
    code: 0,
    out: 'a: failed: the next run of its queue writes that, and its policy says when it is attempted again',
  });
  expect(await table.get('a')).toMatchObject({
    status: 'NEW',
    completion: { token: WAITING_TOKEN, error: { name: 'FailedOutside', message: 'not approved' } },
  });
  expect(await tables.run('complete', 'a')).toMatchObject({
    code: 3,
    out: expect.stringContaining('its attempt was ended differently before'),
  });
  const { out: shown } = await look('show', 'a');
  expect(shown).toMatch(/^waits +for the next run, which writes the failure that came from outside$/m);
  expect((await look('list')).out).toContain('waits for the next run, which writes the failure');
});

it('backlog heartbeat prolongs the wait, and says until when', async () => {
  await table.put(waiting('a'));
  const { code, out, err } = await tables.run('heartbeat', 'a', '--timeout', '5d');
  expect({ code, out }).toEqual({ code: 0, out: 'a: prolonged' });
  expect(err).toMatch(
    /^waits for its end from outside until .* UTC \((5 d|4 d 23 h) left\): waits for approval$/m,
  );
  const { notBefore, dueAt } = (await table.get('a')) as { notBefore: { until: string }; dueAt: string };
  expect(notBefore.until).toBe(dueAt);
  expect(Date.parse(dueAt) - Date.now()).toBeGreaterThan(119 * HOUR);
});

it.each([
  [['complete', 'a', '--result', '{bad'], /--result: expected JSON, or @FILE with it/],
  [['complete', 'a', '--result', JSON.stringify('x'.repeat(2_000))], /expected at most 1024 bytes of JSON/],
  [['complete', 'a', '--token', ''], /complete.token/],
  [['complete'], /missing required argument 'id'/],
  [['fail', 'a'], /required option '--error <text>'/],
  [['fail', 'a', '--error', ''], /fail.error: expected an error, or its message/],
  [['heartbeat', 'a', '--timeout', 'soon'], /Expected a duration with a unit/],
  [['heartbeat', 'a', '--timeout', '400d'], /heartbeat.timeout: .*at most 365 d/],
])('%o is refused as wrong usage, and changes nothing', async (args, message) => {
  await table.put(waiting('a'));
  const before = await table.all();
  const { code, err } = await tables.run(...args);
  expect(code).toBe(2);
  expect(err).toMatch(message);
  expect(await table.all()).toEqual(before);
});

describe('a record that waits for its end from outside', () => {
  it('is shown as such, and its token where it is asked for', async () => {
    await table.put(waiting('a', { reason: 'approval\u001b[2J of \u202efinance' }), record('new'));
    const { out } = await look('show', 'a');
    expect(out).toMatch(
      /^waits +for its end from outside until .* UTC \(2 d left\): approval \[2J of {2}finance$/m,
    );
    expect(out).toMatch(/^due +in 2 d, unless its end comes before$/m);
    expect(out).not.toContain(WAITING_TOKEN);
    expect((await look('show', 'a', '--token')).out).toMatch(
      new RegExp(`^token +${WAITING_TOKEN.replaceAll('.', '\\.')}$`, 'm'),
    );
    expect((await look('show', 'new', '--token')).out).toMatch(/^token +none: it does not wait/m);
  });

  it('has neither its token nor the rev that it is computed of in JSON, unless it is asked for', async () => {
    await table.put(waiting('a'), record('new', { completion: { token: WAITING_TOKEN } }));
    for (const args of [['list'], ['show', 'a'], ['show', 'new']]) {
      const { out } = await look(...args, '--json');
      expect(out).not.toContain(WAITING_TOKEN);
    }
    const shown = async (...more: string[]) => JSON.parse((await look('show', 'a', '--json', ...more)).out);
    expect(await shown()).not.toHaveProperty('rev');
    expect(await shown()).toMatchObject({ notBefore: { pending: { reason: 'waits for approval' } } });
    expect(await shown('--token')).toMatchObject({
      rev: 'r1',
      notBefore: { pending: { token: WAITING_TOKEN } },
    });
  });

  it('is in the list with its reason', async () => {
    await table.put(waiting('a'));
    const { out } = await look('list');
    expect(out).toMatch(/in 2 d +waits for its end from outside: waits for approval/);
  });
});
