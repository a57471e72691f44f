import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CLOCK_SKEW_MS } from '../../../src/leases/timed-hold.js';
import { fingerprintsOf } from '../../../src/store/dynamodb/claims.js';
import { DynamoDbStore } from '../../../src/store/index.js';
import { systemClock } from '../../../src/support/clock.js';
import { announce } from '../../../tools/src/local/discovery.js';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../../tools/src/local/embedded-dynamodb.js';
import { backlog } from '../in-process.js';
import { type OldTableOptions, oldTable } from '../old-table.js';
import { healthy, placed, wrongItems } from './records.js';

type Finding = { kind: string; count: number; ids: string[]; severity: string };

let dynamodb: EmbeddedDynamoDb;
let table: Awaited<ReturnType<typeof oldTable>>;
let control: Awaited<ReturnType<typeof oldTable>>;
let tables = 0;

beforeAll(async () => {
  dynamodb = await startEmbeddedDynamoDb();
});
afterAll(async () => {
  await dynamodb.stop();
  vi.unstubAllEnvs();
});
beforeEach(async () => {
  vi.stubEnv('BACKLOG_RUNTIME_DIR', await mkdtemp(join(tmpdir(), 'backlog-doctor-')));
  table = await oldTable(dynamodb.endpoint, `Records${tables++}`);
  control = await oldTable(dynamodb.endpoint, `Control${tables}`, { key: 'key', index: false });
  await control.put(
    { key: 'queue#orders', retryMode: 'perRecord', retryModeSince: 0 },
    { key: 'queue#bulk', retryMode: 'progressive', retryModeSince: 0 },
  );
});
afterEach(() => {
  table.close();
  control.close();
});

/** Makes the tables those of a runtime that has nothing else: no intake, no rules. */
async function announceRuntime(others: readonly string[] = [control.name]) {
  await announce({
    pid: process.pid,
    cwd: process.cwd(),
    startedAt: '2026-11-20T12:00:00.000Z',
    endpoint: dynamodb.endpoint,
    statusPage: 'http://127.0.0.1:1/',
    tables: [{ name: table.name, records: true }, ...others.map((name) => ({ name, records: false }))],
    queues: ['default', 'orders', 'bulk'],
    clock: { wallStart: 0, start: 0, speed: 1 },
  });
}

async function doctor(...args: string[]) {
  const { code, out, err } = await backlog('doctor', '--json', ...args);
  const { findings = [], ...about } = JSON.parse(out || '{}') as { findings?: Finding[]; repaired?: object };
  const ids = Object.fromEntries(findings.map((finding) => [finding.kind, finding.ids.toSorted()]));
  return { code, err, findings, ids, ...about };
}

const snapshot = async () =>
  (await table.all()).map((item) => JSON.stringify(item, Object.keys(item).sort())).sort();

describe('backlog doctor', () => {
  it('finds nothing in a healthy backlog, but reports the dead', async () => {
    await announceRuntime();
    await table.put(...healthy(Date.now()));
    const { code, findings, err } = await doctor();
    expect(findings).toMatchObject([{ kind: 'dead.no reason given', severity: 'note', ids: ['given-up'] }]);
    expect(err).toMatch(/9 items of .* looked at; 0 errors, 0 warnings, 1 to note/);
    expect(code).toBe(0);
  });

  it('lists each record of a wrong kind by its id, and changes nothing', async () => {
    await announceRuntime();
    const wrong = wrongItems(Date.now());
    await table.put(...wrong.map(([item]) => item), ...healthy(Date.now()));
    const before = await snapshot();
    for (const flags of [[], ['--repair', '--dry-run']]) {
      const { code, ids, findings } = await doctor(...flags);
      for (const [{ id }, kinds] of wrong)
        for (const kind of kinds) expect([kind, ids[kind]]).toEqual([kind, expect.arrayContaining([id])]);
      for (const { count, ids: named } of findings) expect(named).toHaveLength(count);
      expect(code).toBe(3);
    }
    expect(await snapshot()).toEqual(before);
  });

  it('puts the places right that it may, under fences, and leaves the rest listed', async () => {
    await announceRuntime();
    const wrong = wrongItems(Date.now());
    await table.put(...wrong.map(([item]) => item));
    const { repaired } = await doctor('--repair', '--yes');
    expect(repaired).toEqual({ indexed: 0, moved: 8, left: 0 });
    const store = new DynamoDbStore({
      client: table.client,
      tables: { records: table.name, control: control.name },
      clock: systemClock,
    });
    const page = await store.pages.query({
      lane: 'orders',
      until: Date.now(),
      order: 'oldestFirst',
      limit: 100,
    });
    expect(page.keys.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['half', 'text-due', 'letter-due', 'risen', 'risen-error']),
    );
    expect(await table.get('done-waiting')).not.toHaveProperty('lane');
    expect(await table.get('dead-waiting')).toMatchObject({ status: 'DEAD', lane: 'orders/dead' });
    expect(await table.get('risen-error')).not.toHaveProperty('failures');
    const left = await doctor();
    expect(left).toMatchObject({ code: 3, repairable: 0 });
    expect(left.ids).toMatchObject({
      'attribute.insertedAt': ['ahead', 'number-inserted'],
      noPayload: ['no-payload'],
    });
  });

  it('succeeds when it could repair all that it found', async () => {
    await announceRuntime();
    await table.put(placed('half', { dueAt: undefined }, Date.now()));
    expect((await doctor('--repair', '--yes')).code).toBe(0);
    expect(await doctor()).toMatchObject({ code: 0, findings: [] });
  });

  it('repairs nothing where no terminal can be asked, and --yes is not given', async () => {
    await announceRuntime();
    await table.put(placed('half', { dueAt: undefined }, Date.now()));
    const { code, err } = await doctor('--repair');
    expect(code).toBeUndefined();
    expect(err).toMatch(/no terminal to ask at/);
    expect(err).not.toMatch(/looked at/);
    expect(await table.get('half')).not.toHaveProperty('dueAt');
  });

  it('looks at some of a large table if told so', async () => {
    await announceRuntime();
    await table.put(...Array.from({ length: 30 }, (_, i) => placed(`p${i}`, {}, Date.now())));
    expect(await doctor('--limit', '10')).toMatchObject({ items: 10, all: false });
  });
});

describe('a record that is not indexed', () => {
  const bare = (id: string, seconds?: number) => ({
    id,
    status: 'NEW',
    payload: 1,
    queue: 'orders',
    ...(seconds === undefined ? {} : { insertedAt: new Date(Date.now() - seconds * 1000).toISOString() }),
  });
  const claim = (queue: string, until: number, ...ids: string[]) => {
    const run = { holder: 'h', until, ids: fingerprintsOf(ids) };
    return control.put({ key: `arrivals#${queue}`, runs: { '100/1': run } });
  };
  const quick = ['--wait', '50ms'];

  it('is on its way if it is young or runs are at work on arrivals, stuck if it is old, and listed if its age is not known', async () => {
    await announceRuntime();
    await claim('bulk', Date.now() + 60_000);
    await claim('default', Date.now() - 1_000);
    const other = (queue: string) => ({ ...bare(queue, 3600), queue });
    await table.put(bare('old', 3600), bare('young', 5), bare('undated'), other('bulk'), other('default'));
    const { ids, code, findings } = await doctor();
    expect(ids).toEqual({
      notIndexed: ['default', 'old'],
      arriving: ['bulk', 'young'],
      notIndexedUndated: ['undated'],
    });
    expect(findings.find(({ kind }) => kind === 'arriving')?.severity).toBe('note');
    expect(code).toBe(3);
  });

  it('waits for its turn behind the head of its line, and is left alone', async () => {
    await announceRuntime();
    await control.put({ key: 'line#orders#k', next: 1, last: 2, head: { id: 'first', seq: 1, by: 'first' } });
    const ordered = (id: string, seq: number, key = 'k') => ({ ...bare(id, 3600), key, seq });
    await table.put(ordered('first', 1), ordered('second', 2), ordered('lost', 1, 'unknown'));
    const { ids, findings } = await doctor(...quick, '--repair', '--dry-run');
    expect(ids).toEqual({ inLine: ['second'], notIndexed: ['first', 'lost'] });
    expect(findings.find(({ kind }) => kind === 'inLine')?.severity).toBe('note');
    await doctor(...quick, '--repair', '--yes');
    expect(await table.get('first')).toHaveProperty('lane');
    expect(await table.get('second')).not.toHaveProperty('lane');
  });

  it('is stuck, and is indexed, if it is still not indexed after --wait', async () => {
    await announceRuntime();
    await table.put(bare('a'), { id: 'dead', status: 'DEAD', payload: 1 }, bare('b', 5));
    expect((await doctor(...quick, '--repair', '--dry-run')).ids).toMatchObject({
      notIndexed: ['a', 'b', 'dead'],
    });
    expect(await table.get('a')).not.toHaveProperty('lane');
    expect(await doctor(...quick, '--repair', '--yes')).toMatchObject({
      repaired: { indexed: 3, moved: 0, left: 0 },
    });
    expect(await table.get('a')).toMatchObject({
      lane: 'orders',
      dueAt: expect.any(String),
      rev: expect.any(String),
    });
    expect(await table.get('dead')).toMatchObject({ lane: 'default/dead' });
  });

  it('is indexed only after the runs that may be at work on it', async () => {
    await announceRuntime();
    // A busy machine takes seconds until the doctor looks.
    const until = Date.now() + 10_000;
    // Clocks differ: the repair waits a little longer than the claim says.
    await claim('orders', until - CLOCK_SKEW_MS, 'a');
    await table.put(bare('a'));
    const { err, repaired } = await doctor(...quick, '--repair', '--yes');
    expect(err).toMatch(/waiting for the end of runs that may be at work on 1 record /);
    expect(Date.now()).toBeGreaterThanOrEqual(until);
    expect(repaired).toMatchObject({ indexed: 1 });
  });

  it('is left alone if its status is not known here: it may be done', async () => {
    const args = ['--endpoint', dynamodb.endpoint, '--table', table.name, '--repair', '--yes'];
    const items = [
      { id: 'done', STATE: 'DONE', payload: 1 },
      { id: 'parked', status: 'PARKED', payload: 1 },
    ];
    await table.put(...items);
    const { err, ids, code } = await doctor(...args);
    expect(err).toMatch(/2 records not indexed, left unchanged: .*backlog adopt/);
    expect(ids).toMatchObject({ notIndexed: ['done', 'parked'], 'attribute.status': ['done', 'parked'] });
    expect(code).toBe(3);
    expect(await table.all()).toEqual(expect.arrayContaining(items));
  });

  it('is not repaired if it is not known whether it is under attempt', async () => {
    await announceRuntime([]);
    await table.put(bare('a'));
    const { err, ids } = await doctor(...quick, '--repair', '--yes');
    expect(err).toMatch(/1 record not indexed, left unchanged: .*--control-table/);
    expect(ids).toMatchObject({ notIndexed: ['a'], 'control.missing': [] });
    expect(await table.get('a')).not.toHaveProperty('lane');
  });

  it('is stuck at once where the table has no stream, and is indexed', async () => {
    await table.put(bare('a'));
    const settings = { 'table.stream': [], 'table.expiry': [], 'incidents.unknown': [] };
    const args = ['--endpoint', dynamodb.endpoint, '--table', table.name, '--queues', 'orders'];
    expect((await doctor(...args)).ids).toEqual({ notIndexed: ['a'], ...settings });
    expect(await doctor(...args, '--repair', '--yes')).toMatchObject({ repaired: { indexed: 1 }, code: 3 });
    expect((await doctor(...args)).ids).toEqual(settings);
  });
});

describe('the control table', () => {
  it('reports lost runs, paused queues and a sweep that does not run', async () => {
    await announceRuntime();
    const hour = 3_600_000;
    await control.put(
      { key: 'lease#orders', holder: 'h', until: Date.now() - hour, rev: 'r', ids: ['a', 'b'] },
      { key: 'lease#bulk/1', holder: 'h', until: Date.now() + 30_000, rev: 'r', ids: ['c'] },
      { key: 'lease#default' },
      { key: 'queue#bulk', paused: true, retryMode: 'progressive' },
      { key: 'arrivals#orders', runs: { '1/1': { holder: 'h', until: Date.now() - hour } } },
      { key: 'sweep', startedAt: Date.now() - 60 * hour, cursors: [null], found: 0 },
    );
    const { findings, code } = await doctor();
    expect(findings.map(({ kind, severity }) => [severity, kind]).sort()).toEqual([
      ['error', 'lease.orders'],
      ['note', 'arrivals.orders'],
      ['warning', 'paused.bulk'],
      ['warning', 'sweep'],
    ]);
    expect(JSON.stringify(findings)).toMatch(/a run of orders was lost 1 h ago with 2 records under attempt/);
    expect(code).toBe(3);
  });

  it('that is lost, or was created again, is reported', async () => {
    const args = ['--endpoint', dynamodb.endpoint, '--table', table.name, '--queues', 'orders'];
    await table.put(placed('a', { attempts: 2 }, Date.now()));
    expect(await doctor(...args, '--control-table', 'Gone')).toMatchObject({
      code: 3,
      ids: { 'control.lost.Gone': [] },
    });
    const another = await oldTable(dynamodb.endpoint, `Anew${tables++}`, { key: 'key', index: false });
    const { findings } = await doctor(...args, '--control-table', another.name);
    expect(findings).toContainEqual(
      expect.objectContaining({
        kind: 'control.empty',
        severity: 'warning',
        what: expect.stringMatching(/created again/),
      }),
    );
    expect((await doctor(...args, '--control-table', control.name)).ids).not.toHaveProperty([
      'control.empty',
    ]);
    another.close();
  });

  it('that is named makes its queues known, and must be one', async () => {
    const args = ['--endpoint', dynamodb.endpoint, '--table', table.name];
    const other = await oldTable(dynamodb.endpoint, `Control-b${tables}`, { key: 'key', index: false });
    await table.put(placed('a', { queue: 'oders', lane: 'oders' }, Date.now()));
    expect((await doctor(...args)).ids).not.toHaveProperty(['queue.oders']);
    expect((await doctor(...args, '--control-table', `${other.name}, ${control.name}`)).ids).toMatchObject({
      'queue.oders': ['a'],
    });
    expect((await doctor(...args, '--control-table', table.name)).ids).toMatchObject({
      [`control.key.${table.name}`]: [],
    });
  });
});

describe('the table', () => {
  const shapes: readonly (readonly [string, OldTableOptions, string])[] = [
    ['another key', { key: 'ORDER_ID' }, 'table.key'],
    ['no index', { index: false }, 'table.noIndex'],
    ['an index that holds everything', { projection: 'ALL' }, 'table.projection'],
  ];
  it.each(shapes)('with %s is listed, with what to do about it', async (_, options, kind) => {
    const other = await oldTable(dynamodb.endpoint, `Other${tables++}`, options);
    const { ids, code } = await doctor('--endpoint', dynamodb.endpoint, '--table', other.name);
    expect(ids).toMatchObject({ [kind]: [] });
    expect(code).toBe(3);
    other.close();
  });
});

describe('what people see', () => {
  it('is a table of what was found, the worst first, and what to do about each', async () => {
    await announceRuntime();
    await table.put(
      placed('half', { dueAt: undefined }, Date.now()),
      placed('odd', { retry: { type: 'x'.repeat(300) } }, Date.now()),
      placed('tricky\u001b[2J', { payload: undefined }, Date.now()),
    );
    const { out, err } = await backlog('doctor');
    expect(out).toMatch(/^ *1 +error +1 +1 min(?: \d+ s)? +a "lane" and no "dueAt".* +half$/m);
    expect(out).toMatch(
      /^ *1 +--repair corrects that; a producer that writes "lane" has to write "dueAt" with it$/m,
    );
    expect(out).not.toContain('\u001b[2J');
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThan(220);
    expect(err).toMatch(
      /3 items .* looked at; 1 error, 2 warnings\n--repair corrects the index keys of 1 record: half/,
    );
  });

  it.each([
    [['--wait', '5'], /Expected a duration with a unit/],
    [['--queues', 'or ders'], /Expected names of queues such as orders,bulk/],
    [['--limit', '0'], /Expected a whole number from 1/],
  ])('%j is refused with what was expected', async (args, message) => {
    const { error, err } = await backlog('doctor', ...args);
    expect(error).toMatchObject({ name: 'CommanderError' });
    expect(err).toMatch(message);
  });
});
