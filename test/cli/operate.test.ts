import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { failingText } from '../../src/record/index.js';
import { announce } from '../../tools/src/local/discovery.js';
import { backlogTables, readingItem } from './backlog-tables.js';
import { backlog } from './in-process.js';
import { oldTable } from './old-table.js';

let tables: Awaited<ReturnType<typeof backlogTables>>;
let { table, control } = {} as typeof tables;

beforeAll(async () => {
  tables = await backlogTables();
  ({ table, control } = tables);
});
afterAll(() => tables.stop());
beforeEach(() => tables.renew('orders'));

const iso = (ms = 0) => new Date(Date.now() + ms).toISOString();
const HOUR = 3_600_000;

const record = (id: string, attributes: Record<string, unknown> = {}) => ({
  id,
  status: 'NEW',
  payload: { customer: { id: 7 } },
  queue: 'orders',
  insertedAt: iso(-HOUR),
  lane: 'orders',
  dueAt: iso(HOUR),
  rev: 'r',
  ...attributes,
});
const dead = (id: string, attributes: Record<string, unknown> = {}) =>
  record(id, {
    status: 'DEAD',
    lane: 'orders/dead',
    dueAt: iso(-HOUR),
    deadReason: 'maxAttempts',
    failures: 3,
    attempts: 3,
    lastError: { name: 'HttpError', message: '503', at: iso(), attempt: 3 },
    ...attributes,
  });

async function operate(...args: string[]) {
  const { code, out, err, error } = await backlog(...args, ...tables.at);
  const json = args.includes('--json') && out.startsWith('{') ? JSON.parse(out) : undefined;
  return { code: code ?? (error as { exitCode?: number })?.exitCode, out, err, json };
}

/** Counts what the embedded DynamoDB is asked. */
function countRequests() {
  let count = 0;
  const add = () => {
    count++;
  };
  subscribe('http.server.request.start', add);
  return {
    soFar: () => count,
    stop: () => {
      unsubscribe('http.server.request.start', add);
      return count;
    },
  };
}

const statuses = async () =>
  Object.fromEntries((await table.all()).map(({ id, status }) => [id, status] as const).sort());

describe('backlog redrive', () => {
  it('makes records wait again that are named, without a question', async () => {
    await table.put(dead('a b/ü'), dead('c'), record('waiting'));
    const { code, out, err } = await operate('redrive', 'a b/ü');
    expect({ code, out }).toEqual({ code: 0, out: '1 record redriven: a b/ü' });
    expect(err).toMatch(/^table Records at .*; 2 read units, [\d.]+ write units?$/);
    expect(await statuses()).toEqual({ 'a b/ü': 'NEW', c: 'DEAD', waiting: 'NEW' });
    expect(await table.get('a b/ü')).toMatchObject({ lane: 'orders', attempts: 3 });
    expect(await table.get('a b/ü')).not.toHaveProperty('failures');
  });

  it('counts those that match, and changes nothing', async () => {
    await table.put(
      dead('a'),
      dead('b', { payload: { customer: { id: '7' } } }),
      dead('c', { queue: 'bulk', lane: 'bulk/dead' }),
    );
    const before = await table.all();
    const { code, out } = await operate(
      'redrive',
      '--queue',
      'orders',
      '--where',
      'customer.id=7',
      '--dry-run',
    );
    expect({ code, out }).toEqual({ code: 0, out: '1 record would be redriven: a' });
    expect((await operate('redrive', '--all', '--dry-run', '--json')).json).toMatchObject({
      dryRun: true,
      matched: 3,
      changed: 3,
    });
    expect(await table.all()).toEqual(before);
  });

  it('selects by several queues, ids, errors and times of failures', async () => {
    await table.put(
      dead('a1', { lastError: { name: 'HttpError', message: 'order o-7 is locked', at: iso(), attempt: 3 } }),
    );
    await table.put(dead('a2'));
    await table.put(dead('b', { lastFailureAt: iso(-2 * HOUR) }));
    // Their order is open: they may be dead since the same millisecond.
    const found = async (...flags: string[]) => {
      const { out } = await operate('redrive', '--queue', 'orders', '--dry-run', ...flags);
      return out.replace(/.*: /, '').split(', ').toSorted();
    };
    expect(await found('--id-prefix', 'a')).toEqual(['a1', 'a2']);
    expect(await found('--error-contains', 'LOCKED')).toEqual(['a1']);
    expect(await found('--message-pattern', 'order {id} is locked')).toEqual(['a1']);
    expect(await found('--failed-before', '1h', '--failed-within', '3h')).toEqual(['b']);
    const at = tables.at.slice(0, 4);
    const filters = ['--id-prefix', 'a', '--error-contains', 'locked', '--json'];
    expect(JSON.parse((await backlog('list', '--queue', 'orders', ...filters, ...at)).out)).toMatchObject([
      { id: 'a1' },
    ]);
    expect((await operate('redrive', '--queue', 'orders,order', '--dry-run')).err).toMatch(
      /has no queue "order"/,
    );
  });

  it('selects by the whole key, for an action and for the list', async () => {
    await table.put(dead('a', { key: 'c-7' }), dead('b', { key: 'c-77' }), dead('c', { key: 7 }), dead('d'));
    await table.put(dead('e', { key: 'Zoë \u001b[31m\u202e' }));
    const listed = async (...flags: string[]) =>
      backlog('list', '--queue', 'orders', ...flags, ...tables.at.slice(0, 4));
    const ids = async (...flags: string[]) =>
      (JSON.parse((await listed('--json', ...flags)).out) as { id: string }[]).map(({ id }) => id);
    expect(await ids('--key', 'c-7')).toEqual(['a']);
    expect(await ids('--key', '7')).toEqual([]);
    expect((await listed('--key', '')).err).toContain('list.key: expected text of 1 to 256 bytes, got ""');
    expect((await listed('--status', 'DEAD')).out).toMatch(/^ID +QUEUE +KEY +STATUS/);
    expect((await listed('--id-prefix', 'e')).out).toContain('Zoë  [31m');
    const shown = await backlog('show', 'e', ...tables.at.slice(0, 4));
    expect(shown.out).toMatch(/^key +Zoë {2}\[31m $/m);
    // No key: the producer's own attribute of that name.
    expect((await backlog('show', 'c', ...tables.at.slice(0, 4))).out).toMatch(/^key +7$/m);
    expect(await operate('redrive', '--key', 'c-7', '--yes')).toMatchObject({
      code: 0,
      out: '1 record redriven: a',
    });
    expect((await operate('jobs')).out).toContain('key c-7');
    expect((await operate('redrive', '--key', 'x'.repeat(257), '--yes')).err).toContain(
      'redrive.key: expected text of 1 to 256 bytes',
    );
  });

  it('refuses a selection where no terminal can be asked, and --yes is not given', async () => {
    await table.put(dead('a'));
    const { err } = await operate('redrive', '--queue', 'orders');
    expect(err).toMatch(/no terminal to ask at/);
    expect(await statuses()).toEqual({ a: 'DEAD' });
    expect((await operate('redrive', '--queue', 'orders', '--yes')).code).toBe(0);
    expect(await statuses()).toEqual({ a: 'NEW' });
  });

  it('tells what it has left, and why, by its exit code too', async () => {
    await table.put(dead('a'), record('waiting'), dead('newer', { backlogFormat: 99 }));
    const { code, out } = await operate('redrive', 'a', 'waiting', 'nobody', 'newer');
    expect(code).toBe(3);
    expect(out.split('\n').sort()).toEqual([
      '1 left alone: not there',
      '1 left alone: of another status (waiting records: backlog run-now)',
      '1 left alone: written by a newer version of dynamo-backlog',
      '1 record redriven: a',
    ]);
  });

  it('goes into another queue, with another policy', async () => {
    await table.put(dead('a'));
    await operate(
      'redrive',
      'a',
      '--to',
      'slow',
      '--force',
      '--policy',
      '{"type":"fibonacci","maxAttempts":3}',
    );
    expect(await table.get('a')).toMatchObject({
      queue: 'slow',
      lane: 'slow',
      retry: { type: 'fibonacci', maxAttempts: 3 },
    });
  });

  it('stops at its limit', async () => {
    await table.put(...Array.from({ length: 12 }, (_, i) => dead(`d${i}`)));
    const { out } = await operate('redrive', '--queue', 'orders', '--limit', '5', '--yes');
    expect(out).toMatch(/^5 records redriven: .*\nthe limit is reached: the same command goes on/);
    expect(Object.values(await statuses()).filter((status) => status === 'NEW')).toHaveLength(5);
  });
});

describe('the other actions', () => {
  it('discard keeps the reason, or removes', async () => {
    await table.put(dead('a'), dead('b'));
    await operate('discard', 'a', '--reason', 'by phone', '--retention', '1d', '--yes');
    const { deadReason, expiresAt } = (await table.get('a')) as { deadReason: string; expiresAt: number };
    expect(deadReason).toBe('discarded: by phone');
    expect(expiresAt - Date.now() / 1000).toBeCloseTo(86_400, -2);
    const { out } = await operate('discard', 'b', '--delete', '--yes');
    expect(out).toBe('1 record removed: b');
    expect(await table.get('b')).toBeUndefined();
  });

  it('redrive selects by the beginning of the reason for which a record is dead, discard by it and with one of its own', async () => {
    await table.put(dead('a'), dead('b', { deadReason: 'expired after 360 days' }), dead('c'));
    await operate('redrive', '--dead-reason', 'expired', '--yes');
    expect(await statuses()).toEqual({ a: 'DEAD', b: 'NEW', c: 'DEAD' });
    await operate('discard', '--dead-reason', 'maxAtt', '--reason', 'too late', '--yes');
    const { deadReason } = (await table.get('a')) as { deadReason: string };
    expect([deadReason, (await table.get('b'))?.status]).toEqual(['discarded: too late', 'NEW']);
  });

  it('discard asks a long attempt to end, and says so: by its id, and in a selection', async () => {
    const until = iso(60_000);
    await table.put(record('a', { dueAt: until, notBefore: { until } }), record('b'));
    const trial = await operate('discard', 'a', '--dry-run');
    expect(trial.out).toMatch(/0 records would be discarded\n1 left alone: .*told to end within 30 seconds/);
    const { code, out } = await operate('discard', 'a', '--reason', 'by phone', '--yes');
    expect(code).toBe(3);
    expect(out).toMatch(/^0 records discarded\n1 left alone: under a long attempt, which is told to end/);
    expect(await table.get('a')).toMatchObject({
      status: 'NEW',
      rev: 'r',
      notBefore: { until, cancel: 'by phone' },
    });
    const many = await operate('discard', '--queue', 'orders', '--status', 'NEW', '--yes', '--json');
    expect(many).toMatchObject({ code: 3, json: { changed: 1, skipped: { cancelRequested: 1 } } });
    const shown = await backlog(
      'list',
      '--queue',
      'orders',
      '--endpoint',
      tables.endpoint,
      '--table',
      table.name,
    );
    expect(shown.out).toMatch(/a .*asked to end/);
  });

  it('discard asks for named ids as well', async () => {
    await table.put(dead('a'));
    const { err } = await operate('discard', 'a');
    expect(err).toMatch(/no terminal to ask at/);
    expect(await table.get('a')).toMatchObject({ deadReason: 'maxAttempts' });
  });

  it('snooze and retry move the due time', async () => {
    await table.put(record('a'));
    await operate('snooze', 'a', '--delay', '1d');
    const until = Date.parse(String((await table.get('a'))?.dueAt));
    expect(until - Date.now()).toBeGreaterThan(23 * HOUR);
    await operate('snooze', 'a', '--at', '2099-01-01T00:00:00+01:00');
    expect(await table.get('a')).toMatchObject({ dueAt: '2098-12-31T23:00:00.000Z' });
    await operate('run-now', 'a');
    expect(Date.parse(String((await table.get('a'))?.dueAt))).toBeLessThanOrEqual(Date.now());
  });

  it('edit merges or replaces, with all digits', async () => {
    await table.put(record('a'), dead('b'));
    await operate('edit', 'a', '--merge', '{"customer":{"id":null,"no":12345678901234567890}}', '--yes');
    const shown = await backlog('show', 'a', '--json', '--endpoint', tables.endpoint, '--table', table.name);
    expect(shown.out).toContain('"payload":{"customer":{"no":12345678901234567890}}');
    const file = join(await mkdtemp(join(tmpdir(), 'backlog-edit-')), 'payload.json');
    await writeFile(file, '[1, 2]');
    await operate('edit', 'b', '--payload', `@${file}`, '--redrive', '--yes');
    expect(await table.get('b')).toMatchObject({ payload: [1, 2], status: 'NEW', lane: 'orders' });
  });

  it('move says how many records are due in 15 minutes, as a run may be attempting them', async () => {
    await table.put(record('a'));
    const lease = { holder: 'busy', until: Date.now() + 60_000, rev: 'j', ids: ['a'] };
    await control.put({ key: 'lease#orders', ...lease });
    const { code, out } = await operate('move', 'a', '--to', 'slow', '--force');
    expect({ code, out: out.split('\n') }).toEqual({
      code: 0,
      out: ['1 record moved to slow: a', '1 due in 15 minutes: a run may be attempting it'],
    });
  });

  it('move and change-policy', async () => {
    await table.put(record('a'));
    expect((await operate('move', 'a', '--to', 'slow', '--force')).out).toBe('1 record moved to slow: a');
    expect(await table.get('a')).toMatchObject({ queue: 'slow', lane: 'slow' });
    await operate('change-policy', 'a', '--policy', 'fibonacci', '--set', 'maxAttempts=20');
    expect(await table.get('a')).toMatchObject({ retry: { type: 'fibonacci', maxAttempts: 20 } });
    await operate('change-policy', 'a', '--policy', 'queue');
    expect(await table.get('a')).not.toHaveProperty('retry');
  });

  it('pause and resume stop a queue and let it go on', async () => {
    expect((await operate('pause', 'orders')).err).toMatch(/orders of table .* is paused now/);
    expect(await control.get('queue#orders')).toMatchObject({ paused: true, pausedAt: expect.any(String) });
    expect((await operate('pause', 'orders')).err).toMatch(/is paused already/);
    expect((await operate('stats')).out).toMatch(/orders .*paused \d+ s/);
    expect(await control.get('queue#orders')).toMatchObject({ pausedBy: userInfo().username });
    await operate('resume', 'orders');
    expect(await control.get('queue#orders')).toEqual({
      key: 'queue#orders',
      resumedAt: expect.any(String),
      retryMode: 'perRecord',
      retryModeSince: 0,
    });
  });

  it('a pause says its reason, its end and a name', async () => {
    const said = ['--reason', 'stocktaking', '--until', '2999-12-24T16:00:00Z', '--by', 'role/ops'];
    const note = ' by role/ops until Tue 24 Dec 2999 16:00 UTC, "stocktaking"';
    expect((await operate('pause', 'orders', ...said)).err).toContain(`is paused now${note}`);
    expect((await operate('pause', 'orders')).err).toContain(`is paused already${note}`);
    expect((await operate('stats')).out).toContain(note);
    const wrong = await operate('pause', 'orders', '--until', 'noon');
    expect(wrong.err).toMatch(/^error: pause\.until: expected a time that lies ahead/);
  });
});

describe('a key of a queue', () => {
  it('is paused with a note, and resumed with what waits for it', async () => {
    const said = [
      '--until',
      '2999-12-24T16:00:00Z',
      '--reason',
      'their endpoint is down',
      '--by',
      'role/ops',
    ];
    const note = ' by role/ops until Tue 24 Dec 2999 16:00 UTC, "their endpoint is down"';
    const paused = await operate('pause', 'orders', '--key', 'tenant-7', ...said);
    expect(paused.err).toMatch(/^tenant-7 in orders of table .* is paused now/);
    expect(paused.err).toContain(note);
    expect((await operate('pause', 'orders', '--key', 'tenant-7')).err).toContain(`is paused already${note}`);
    expect((await operate('stats')).out).toContain(`key tenant-7 paused${note}`);
    expect(await control.get('queue#orders')).not.toHaveProperty('paused');
    const until = iso(1_800_000);
    const putOff = { dueAt: until, notBefore: { until, lane: '#paused' } };
    await table.put(record('a', { ...putOff, key: 'tenant-7' }), record('b', { ...putOff, key: 'tenant-8' }));
    await table.put(record('c', { dueAt: until, key: 'tenant-7' }));
    const resumed = await operate('resume', 'orders', '--key', 'tenant-7', '--json');
    expect(JSON.parse(resumed.out)).toEqual({
      queue: 'orders',
      key: 'tenant-7',
      paused: false,
      changed: true,
      due: 1,
    });
    expect(resumed.err).toMatch(/tenant-7 in orders of table .* goes on: 1 record made due/);
    expect(await table.get('a')).not.toHaveProperty('notBefore');
    expect(await table.get('b')).toMatchObject(putOff);
    expect((await operate('resume', 'orders', '--key', 'tenant-7')).err).toMatch(
      /was not paused: 0 records made due/,
    );
  });

  it('is refused where it is none, and so is one more than the limit', async () => {
    expect((await operate('pause', 'orders', '--key', '')).err).toMatch(
      /key: expected text of 1 to 256 bytes/,
    );
    const wrong = await operate('pause', 'orders', '--key', 'k', '--until', 'noon');
    expect(wrong.err).toMatch(/^error: pause\.until: expected a time that lies ahead/);
    const pauses = Array.from({ length: 20 }, (_, i) => ({ key: `k${i}`, since: iso() }));
    await control.put({ key: 'queue#orders', pausedKeys: JSON.stringify(pauses) });
    const full = await operate('pause', 'orders', '--key', 'k20');
    expect(full).toMatchObject({ code: 1 });
    expect(full.err).toMatch(/20 keys are paused, and no more can be: resume one \("k0", "k1", "k2", …\)/);
  });
});

describe('backlog export', () => {
  it('writes items unchanged, one a line', async () => {
    const odd = dead('a', { own: [1, { ü: true }], insertedAt: 'yesterday', big: 12345678901234567890n });
    await table.put(odd, record('b'));
    const { out, err, code } = await operate('export', '--queue', 'orders', '--status', 'DEAD');
    expect(code).toBe(0);
    expect(err).toMatch(/^1 record of table .* exported$/);
    expect(out).toContain('"big":12345678901234567890');
    expect({ ...JSON.parse(out), big: 0 }).toEqual({ ...odd, big: 0 });
  });

  it('says what of those named is not there', async () => {
    await table.put(record('a'));
    const { out, err, code } = await operate('export', 'a', 'gone');
    expect(JSON.parse(out)).toMatchObject({ id: 'a' });
    expect(err).toMatch(/1 record of those named not there$/);
    expect(code).toBe(3);
    expect(await operate('export', 'a', 'a')).toMatchObject({ code: 0 });
    expect(await operate('export', 'a', 'gone', '--limit', '1')).toMatchObject({ code: 0 });
  });

  it('writes a new file, which is imported again', async () => {
    await table.put(dead('a', { own: 'kept', task: 'mail', key: 'c-7', seq: 3 }), record('b'));
    const folder = await mkdtemp(join(tmpdir(), 'backlog-export-'));
    const file = join(folder, 'dead.ndjson');
    const exporting = ['export', '--status', 'DEAD', '--as-new', '--out', file];
    const { out, err } = await operate(...exporting);
    expect(out).toBe('');
    expect(err).toMatch(/1 record of table .* exported to .*dead\.ndjson/);
    expect((await operate(...exporting)).err).toMatch(/it exists already/);
    await operate('discard', 'a', '--delete', '--yes');
    const at = ['--endpoint', tables.endpoint, '--table', table.name];
    expect((await backlog('import', file, ...at)).err).toMatch(/inserted 1, duplicates 0, bad lines 0/);
    expect(await table.get('a')).toMatchObject({
      status: 'NEW',
      task: 'mail',
      key: 'c-7',
      seq: 3,
      own: 'kept',
      payload: { customer: { id: 7 } },
    });
    expect(await readFile(file, 'utf8')).not.toMatch(/lastError|lane/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('of a record without a payload is a record again when it is imported', async () => {
    const { payload: _, ...bare } = dead('bare', { order: 7 });
    await table.put(bare);
    const { out } = await operate('export', 'bare', '--as-new');
    expect(JSON.parse(out)).toMatchObject({ id: 'bare', order: 7, payload: null });
  });

  it('keeps a delay that is not over, and forgets one that is', async () => {
    const [ahead, over] = [iso(HOUR), iso(-HOUR)];
    await table.put(record('a', { availableAt: ahead }), record('b', { availableAt: over }));
    const { out } = await operate('export', 'a', 'b', '--as-new');
    const lines = out.split('\n').map((line) => JSON.parse(line));
    expect(lines.map(({ id, availableAt }) => [id, availableAt])).toEqual([
      ['a', ahead],
      ['b', undefined],
    ]);
  });
});

describe('backlog stats', () => {
  it('counts what waits, what is due, and what is dead', async () => {
    await control.put({ key: 'queue#bulk', retryMode: 'progressive', retryModeSince: 0 });
    await table.put(
      ...[-HOUR, -5, 30_000, HOUR / 2, 5 * HOUR, 50 * HOUR].map((ms, i) =>
        record(`o${i}`, { dueAt: iso(ms) }),
      ),
      dead('d'),
      ...[1, 3 * 24, 400 * 24].map((hours) =>
        record(`b${hours}`, { queue: 'bulk', lane: 'bulk', dueAt: iso(-hours * HOUR) }),
      ),
      record('delayed', { queue: 'bulk', lane: 'bulk', dueAt: iso(HOUR) }),
      record('done', { status: 'SUCCESS', lane: undefined, dueAt: undefined }),
    );
    const { json } = await operate('stats', '--json');
    const [bulk, orders] = json.queues;
    expect(orders).toMatchObject({
      queue: 'orders',
      retryMode: 'perRecord',
      paused: false,
      waiting: 6,
      condition: 'late',
      dead: 1,
      due: { now: 2, minute: 1, hour: 2, day: 3 },
    });
    expect(orders.lagSeconds).toBeGreaterThanOrEqual(3600);
    expect(bulk).toMatchObject({ queue: 'bulk', retryMode: 'progressive', waiting: 4, dead: 0, delayed: 1 });
    expect(bulk.ages.map(({ count }: { count: number }) => count)).toEqual([1, 1, 0, 0, 0, 0, 1]);
    expect(bulk).not.toHaveProperty('lagSeconds');
    const { out, err } = await operate('stats');
    expect(out).toMatch(
      /^QUEUE +RETRIES +WAITING +DUE NOW +1 MIN +1 H +1 D +LAG +OLDEST +RETRY +DEAD +STATE$/m,
    );
    expect(out).toMatch(/^orders +per record +6 +2 +1 +2 +3 +1 h +1 h +- +1 +late$/m);
    expect(out).toMatch(/^bulk +by age +4 +- +- +- +- +- +400 d +- +0 +waiting$/m);
    expect(err).toMatch(/read units$/);
  });

  it('shows no age of a due time that cannot be read', async () => {
    await table.put(record('odd', { dueAt: '#' }));
    expect((await operate('stats')).out).toMatch(/^orders +per record +1 .* 0 s +- +- +0 +waiting$/m);
  });

  it('with --check ends with code 3 in an outage, as the doctor does, and where the state is not known', async () => {
    const requests = countRequests();
    await operate('stats');
    const withoutCheck = requests.soFar();
    const unknown = await operate('stats', '--check');
    expect(requests.stop()).toBe(2 * withoutCheck);
    expect(unknown).toMatchObject({
      code: 3,
      err: expect.stringMatching(/^check: orders: it is not known/m),
    });
    const since = Math.floor(Date.now() / 1000) - 840;
    const note = { group: '', since, lastAt: since + 800, records: 9, evidence: 20 };
    const counts = { recentSuccesses: 0, recentFailures: 9, countedAt: since + 800, error: 'HttpError 503' };
    const failing = failingText({ notes: [{ ...note, ...counts }], past: [] });
    const queue = { key: 'queue#orders', retryMode: 'perRecord', retryModeSince: 0 };
    await control.put(queue, readingItem('orders'));
    expect(await operate('top', '--once', '--check')).toMatchObject({ code: 0 });
    // A doctor that finds nothing noted does not read each queue.
    const healthy = countRequests();
    await operate('doctor');
    const ofHealthy = healthy.stop();
    await control.put({ ...queue, failing });
    const outage = await operate('stats', '--check');
    expect(outage).toMatchObject({
      code: 3,
      err: expect.stringMatching(/^check: orders \(HttpError 503\) has failed since .* UTC\.$/m),
    });
    const top = await operate('top', '--check', '--json');
    const { json } = await operate('stats', '--json');
    const incident = {
      ...{
        id: 'queue orders',
        state: 'failing',
        destinations: [],
        queues: ['orders'],
        error: 'HttpError 503',
      },
      since: new Date(since * 1000).toISOString(),
      lastFailureAt: new Date((since + 800) * 1000).toISOString(),
      probeAt: new Date((since + 1070) * 1000).toISOString(),
      ...{ waiting: 0, operators: [] },
    };
    for (const { incidents } of [json, top.json]) expect(incidents).toEqual([incident]);
    expect(json.queues).toMatchObject([{ queue: 'orders', condition: 'failing' }]);
    expect((await operate('stats')).out).toMatch(/^orders .* failing since .*\d\d:\d\d UTC: HttpError 503$/m);
    expect([json.ended, top.json.ended]).toEqual([[], []]);
    const over = [{ group: 'erp', since, endedAt: since + 600, error: 'HttpError 503' }];
    await control.put({ ...queue, failing: failingText({ notes: [], past: over }) });
    expect((await operate('stats', '--json')).json).toMatchObject({
      incidents: [],
      ended: [
        {
          ...{ id: 'destination erp', destinations: ['erp'], queues: ['orders'], error: 'HttpError 503' },
          ...{ since: incident.since, lastedSeconds: 600 },
        },
      ],
    });
    await control.put({ ...queue, failing });
    const ill = countRequests();
    const doctor = await operate('doctor');
    expect(ill.stop()).toBeGreaterThan(ofHealthy + 2);
    expect(doctor).toMatchObject({
      code: 3,
      out: expect.stringMatching(/orders \(HttpError 503\) has failed since .* UTC/),
    });
    expect((await backlog('doctor', ...tables.at.slice(0, 4))).out).toMatch(
      /whether attempts succeed is not known[\s\S]*--control-table/,
    );
    await operate('pause', 'orders', '--until', '2h');
    expect(await operate('top', '--once', '--check')).toMatchObject({ code: 0 });
    expect((await operate('doctor')).out).toMatch(
      /orders .*had failed since .*nothing is known since the pause/,
    );
    await operate('resume', 'orders');
    expect((await operate('doctor')).out).toMatch(/had failed since .*nothing is known since the pause/);
  });

  it('knows the queues of the running runtime and no others', async () => {
    await announce({
      pid: process.pid,
      cwd: process.cwd(),
      startedAt: iso(),
      endpoint: tables.endpoint,
      statusPage: 'http://127.0.0.1:1/',
      tables: [
        { name: table.name, records: true },
        { name: control.name, records: false },
      ],
      queues: ['fresh'],
      clock: { wallStart: 0, start: 0, speed: 1 },
    });
    const { code, out } = await backlog('stats', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out).queues.map(({ queue }: { queue: string }) => queue)).toEqual(['fresh', 'orders']);
    expect((await backlog('pause', 'oders')).err).toMatch(/has no queue "oders"; did you mean "orders"\?/);
    expect((await backlog('pause', 'oders', '--force')).err).toMatch(
      /warning: the running app has no queue "oders"/,
    );
    await backlog('pause', 'orders', '--key', 'tenant-7', '--by', 'ops');
    await table.put(dead('a'), record('b', { key: 'tenant-7' }));
    expect((await backlog('show', 'b')).out).toContain('key tenant-7 is paused by ops');
    const warning = /warning: the running app has no queue "ordres"/;
    expect((await backlog('move', 'a', '--to', 'ordres', '--dry-run', '--force')).err).toMatch(warning);
    expect((await backlog('redrive', 'a', '--to', 'ordres', '--dry-run', '--force')).err).toMatch(warning);
    const redriven = await backlog('redrive', 'a', '--to', 'fresh');
    expect(redriven.err).not.toMatch(/warning/);
    expect(redriven.code).toBe(0);
  });
});

describe('wrong usage ends with code 2, a reason, and nothing changed', () => {
  it.each([
    [['redrive'], /which records\?/],
    [['redrive', 'a', '--queue', 'orders'], /ids or a selection, got both/],
    [['redrive', '--queue', 'a b', '--yes'], /redrive\.queue: expected letters/],
    [
      ['redrive', '--status', 'NEW', '--yes'],
      /redrive\.status: expected DEAD, got "NEW" \(waiting records: backlog run-now\)/,
    ],
    [['redrive', '--status', 'OPEN', '--yes'], /Expected one of NEW/],
    [['redrive', '--queue', 'orders', '--older-than', '5', '--yes'], /Expected a duration/],
    [['redrive', '--where', 'x', '--yes'], /Expected a pair such as customer.id=7/],
    [['redrive', '--all', '--limit', '0', '--yes'], /whole number from 1/],
    [['redrive', '--all', '--per-second', '0', '--yes'], /number from 0.001/],
    [['redrive', 'a', '--policy', 'fibonaci'], /redrive\.retry.*fibonacci/],
    [['redrive', 'a', '--to', 'a/b'], /Expected the name of a queue/],
    [['discard', 'a', '--retention', 'long', '--yes'], /Expected a duration/],
    [['snooze', 'a'], /either --delay or --at/],
    [['snooze', 'a', '--delay', '1h', '--at', '2099-01-01T00:00:00Z'], /either --delay or --at/],
    [['snooze', 'a', '--at', '2001-01-01T00:00:00Z'], /a time that lies ahead/],
    [['snooze', 'a', '--at', 'tomorrow'], /ISO-8601/],
    [['edit', 'a', '--yes'], /either --payload or --merge/],
    [['edit', 'a', '--merge', '{x', '--yes'], /--merge: expected JSON/],
    [['edit', 'a', '--payload', '@/nowhere', '--yes'], /--payload: expected JSON, or @FILE/],
    [['move', 'a'], /required option '--to/],
    [['move', 'a', '--to', ''], /Expected the name of a queue/],
    [['change-policy', 'a'], /required option '--policy/],
    [['change-policy', 'a', '--policy', 'queue', '--set', 'x=1'], /nothing can be set/],
    [['change-policy', 'a', '--policy', 'fibonacci', '--set', 'unti=1'], /did you mean "unit"/],
    [['export'], /which records\?/],
    [['stats', '--queues', 'a b'], /Expected names of queues/],
    [['pause', 'a b'], /Expected the name of a queue/],
    [['pause', 'q'.repeat(129)], /Expected the name of a queue.*at most 128/],
    [['redrive', '--queue', 'q'.repeat(129), '--yes'], /redrive\.queue: expected letters.*at most 128/],
    [['pause'], /missing required argument/],
  ])('%j', async (args, message) => {
    await table.put(dead('a'));
    const before = [await table.all(), await control.all()];
    const { code, err } = await operate(...args);
    expect(err).toMatch(message);
    // Commander's own errors have 1; the process ends with 2 for all of them.
    expect([1, 2]).toContain(code);
    expect([await table.all(), await control.all()]).toEqual(before);
  });

  it('asks for the control table where it cannot know it', async () => {
    const { err, code } = await backlog('redrive', 'a', '--endpoint', tables.endpoint, '--table', table.name);
    expect(err).toMatch(
      /say which control table with --control-table \(the output ControlTableName of its stack\), or .*--stack/,
    );
    expect(code).toBeUndefined();
  });

  it('says what a table lacks', async () => {
    const bare = await oldTable(tables.endpoint, 'Bare', { index: false });
    const at = ['--endpoint', tables.endpoint, '--table', bare.name, '--control-table', control.name];
    const { err } = await backlog('redrive', '--queue', 'orders', '--yes', ...at);
    expect(err).toMatch(/stopped with 0 changed.*no index "due"/);
    bare.close();
  });
});
