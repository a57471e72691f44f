import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Serving } from '../../src/overview/serving.js';
import { systemClock } from '../../src/support/clock.js';
import { METADATA_KEY } from '../../src/template-metadata.js';
import { servingAt } from '../../tools/src/cli/unserved.js';
import { announcedRuntime } from './announced-runtime.js';
import { readingItem } from './backlog-tables.js';
import { startCloudFormation } from './fake-cloudformation.js';
import { backlog } from './in-process.js';
import { oldTable } from './old-table.js';

const AT = '2029-12-31T00:00:00.000Z';
/** The time of the announced runtime. */
const RUNTIME_NOW = Date.parse('2030-01-01T12:00:00Z');
const record = (id: string, queue: string, status = 'NEW') => ({
  ...{ id, status, payload: 1, queue, insertedAt: AT, rev: 'r' },
  ...{ lane: status === 'DEAD' ? `${queue}/dead` : queue, dueAt: AT },
});

describe('a queue that no rule of the local runtime serves', () => {
  /** The status of a runtime, which counts records of queues that the app does not have as well. */
  const status = { queues: [] as object[], rules: [], now: AT };
  const page = createServer((request, response) => {
    response.end(JSON.stringify(request.url === '/status.json' ? status : { minutes: {}, lastRuns: {} }));
  });
  let runtime: Awaited<ReturnType<typeof announcedRuntime>>;

  beforeAll(async () => {
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
    const statusPage = `http://127.0.0.1:${(page.address() as AddressInfo).port}/`;
    runtime = await announcedRuntime({ statusPage });
    const { records, control } = await runtime.renew();
    await control.put(
      ...['default', 'bulk', 'deafult', 'elsewhere'].map((queue) => readingItem(queue, RUNTIME_NOW)),
    );
    await records.put(record('a', 'deafult'), record('b', 'deafult'), record('c', 'bulk'));
    await records.put(record('dead', 'elsewhere', 'DEAD'));
    const counts = { table: records.name, NEW: 0, ERROR: 0, SUCCESS: 0, DEAD: 0 };
    status.queues = [
      { ...counts, name: 'default', retryMode: 'perRecord' },
      { ...counts, name: 'bulk', retryMode: 'progressive', NEW: 1 },
      { ...counts, name: 'deafult', NEW: 2 },
      { ...counts, name: 'elsewhere', DEAD: 1 },
      { ...counts, name: 'done', SUCCESS: 1 },
      { ...counts, name: 'of-another-table', NEW: 1, table: 'Another' },
    ];
  });
  afterAll(async () => {
    await runtime.stop();
    page.close();
  });

  it('is named by list, with how many of its records wait there, and the nearest name', async () => {
    const { err, out } = await backlog('list');
    expect(out).toContain('deafult');
    expect(err).toContain(
      'no rule serves "deafult": 2 records of these wait until one does; did you mean "default"?',
    );
    expect(err).not.toMatch(/no rule serves "(bulk|elsewhere)"/);
  });

  it('is named by show, for a record that waits', async () => {
    const { out } = await backlog('show', 'a');
    expect(out).toMatch(/waits +no rule serves "deafult"; did you mean "default"\?/);
    for (const id of ['c', 'dead']) expect((await backlog('show', id)).out).not.toContain('no rule serves');
  });

  it('is listed by stats, which says so where records wait, in its JSON as well', async () => {
    const { out } = await backlog('stats', '--queues', 'deafult,bulk,elsewhere');
    expect(out).toMatch(/deafult .*no rule serves it; did you mean "default"\?/);
    expect(out).toMatch(/^elsewhere /m);
    expect(out).not.toMatch(/(bulk|elsewhere) .*no rule serves it/);
    const { queues } = JSON.parse((await backlog('stats', '--json')).out);
    const reported = queues.map(({ queue, unserved, didYouMean }: Record<string, unknown>) => [
      queue,
      unserved,
      didYouMean,
    ]);
    expect(reported).toEqual([
      ['bulk', undefined, undefined],
      ['deafult', true, 'default'],
      ['default', undefined, undefined],
      ['elsewhere', undefined, undefined],
    ]);
  });

  it('is shown by top: in its first sentence, in its table, and in its JSON', async () => {
    const { out } = await backlog('top', '--once');
    expect(out).toContain('deafult: no rule serves this queue, 2 records wait; did you mean "default"?');
    expect(out).toMatch(/^deafult +▲ No rule/m);
    expect(out).not.toMatch(/(bulk|elsewhere) +▲ No rule/);
    const { queues } = JSON.parse((await backlog('top', '--json')).out);
    const one = (name: string) => queues.find(({ queue }: { queue: string }) => queue === name);
    expect(one('deafult')).toMatchObject({ condition: 'unserved', unserved: true, didYouMean: 'default' });
    expect(one('bulk')).not.toHaveProperty('unserved');
    expect(one('elsewhere')).not.toHaveProperty('unserved');
  });
});

describe('a queue of a deployed backlog that has no owner in the registry', () => {
  const own = { records: { logicalId: 'Records' }, control: { logicalId: 'Control' } };
  const described = { version: 1, trigger: 'rules', intake: true, sweep: true, queues: {}, ...own };
  const template = { Metadata: { [METADATA_KEY]: { Backlog: described } }, Resources: { Records: {} } };
  let runtime: Awaited<ReturnType<typeof announcedRuntime>>;
  let cloudFormation: Awaited<ReturnType<typeof startCloudFormation>>;
  let control: Awaited<ReturnType<typeof oldTable>>;
  const tables: Awaited<ReturnType<typeof oldTable>>[] = [];

  const entry = {
    owner: 'Shop',
    function: 'arn:aws:lambda:eu-central-1:1:function:shop',
    retryMode: 'perRecord',
  };
  const register = (queues: object) => control.put({ key: 'registry', rev: 'r', queues });
  const now = new Date().toISOString();

  beforeAll(async () => {
    // Its tables are those of a stack: no runtime is asked for what it knows.
    runtime = await announcedRuntime();
    const { endpoint } = await runtime.renew();
    cloudFormation = await startCloudFormation({ Shop: { template } });
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', cloudFormation.endpoint);
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', endpoint);
    vi.stubEnv('AWS_REGION', 'eu-central-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
    const records = await oldTable(endpoint, 'Shop-Records');
    control = await oldTable(endpoint, 'Shop-Control', { key: 'key', index: false });
    tables.push(records, control);
    await records.put(record('a', 'oders'), record('b', 'orders'), record('c', 'gone'), record('d', 'older'));
    for (const queue of ['orders', 'gone', 'older']) {
      const state = { key: `queue#${queue}`, retryMode: 'perRecord', retryModeSince: 0 };
      await control.put(state, readingItem(queue));
    }
  });
  beforeEach(() =>
    register({
      orders: { ...entry, at: now },
      gone: { ...entry, at: now, removedAt: now },
    }),
  );
  afterAll(async () => {
    for (const table of tables) table.close();
    await cloudFormation.stop();
    await runtime.stop();
  });

  it('is named by list: one that no run has served, and one that was given up', async () => {
    const { err } = await backlog('list', '--stack', 'Shop');
    expect(err).toContain(
      'no rule serves "oders": 1 record of these waits until one does; did you mean "orders"?',
    );
    expect(err).toContain('no rule serves "gone": 1 record of these waits until one does');
    // A function without an owner may serve it.
    expect(err).not.toMatch(/no rule serves "(orders|older)"/);
  });

  it('is named by show', async () => {
    const waits = async (id: string) => (await backlog('show', id, '--stack', 'Shop')).out;
    expect(await waits('a')).toMatch(/waits +no rule serves "oders"; did you mean "orders"\?/);
    expect(await waits('c')).toMatch(/waits +no rule serves "gone"\n/);
    for (const id of ['b', 'd']) expect(await waits(id)).not.toContain('no rule serves');
  });

  it('is named by stats, with its records, and by top', async () => {
    const named = await backlog('stats', '--stack', 'Shop', '--queues', 'oders');
    expect(named.out).toMatch(/^oders .*no rule serves it; did you mean "orders"\?/m);
    const all = await backlog('stats', '--stack', 'Shop');
    expect(all.out).toMatch(/^gone .*no rule serves it/m);
    expect(all.out).not.toMatch(/^(orders|older) .*no rule serves it/m);
    const { out } = await backlog('top', '--once', '--stack', 'Shop');
    expect(out).toContain('gone: no rule serves this queue, 1 record waits.');
    expect(out).toMatch(/^gone +▲ No rule/m);
  });

  it('is named by no command, as long as no function has registered', async () => {
    await register({});
    for (const args of [['list'], ['show', 'a'], ['stats', '--queues', 'gone'], ['top', '--once']]) {
      const { out, err } = await backlog(...args, '--stack', 'Shop');
      expect(out + err).not.toMatch(/no rule/i);
    }
  });
});

it('nothing is asked where no record waits, or where the control table is not known', async () => {
  const send = vi.fn();
  const at = { client: { send } as never, table: 'Records', clock: systemClock };
  const known = { ...at, controlTable: 'Control' };
  expect((await servingAt(known, new Set())).isUnserved('a')).toBe(false);
  expect((await servingAt(at, new Set(['a']))).isUnserved('a')).toBe(false);
  expect(send).not.toHaveBeenCalled();
});

it('an app that names no queue says nothing about any', () => {
  expect(new Serving({ app: [] }).isUnserved('a')).toBe(false);
});
