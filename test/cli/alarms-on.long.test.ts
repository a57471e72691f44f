import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { failingText } from '../../src/record/index.js';
import { alarmsInAws } from '../../tools/src/cli/cloudwatch/alarm-reader.js';
import { ruleName } from '../../tools/src/cli/mute/rule.js';
import { announce } from '../../tools/src/local/discovery.js';
import { backlogTables, readingItem } from './backlog-tables.js';
import { deployedAlarms } from './deployed-alarms.js';
import { type FakeAlarm, startCloudWatch } from './fake-cloudwatch.js';
import { backlog } from './in-process.js';
import { status } from './runtime-status.js';

const SINCE = Date.parse('2026-11-26T14:13:00Z');
const NOW = SINCE + 30 * 60_000;
const NAMES = [/Failuresorders/, /Deadorders/, /Failuresbulk/, /IntakeErrors/, /RunErrorsorders/, /^Scaling/];
const OWN = ['Dead-orders', 'Failures-bulk', 'Failures-orders', 'IntakeErrors'];

/** Alarms of others are on in all of the first page, and one of another table that is called the same. */
function alarmsOfAccount(): FakeAlarm[] {
  const deployed = deployedAlarms();
  const on = deployed.map((alarm, i) =>
    NAMES.some((name) => name.test(alarm.name)) ? { ...alarm, onSince: SINCE + i } : alarm,
  );
  const failures = on.find(({ name }) => NAMES[0]?.test(name)) as FakeAlarm;
  const elsewhere = { ...failures.dimensions, Table: 'Others' };
  const others = Array.from({ length: 100 }, (_, i) => ({
    ...failures,
    name: `Other-${i}`,
    dimensions: elsewhere,
  }));
  const foreign = { ...failures, name: 'Foreign', namespace: 'Shop' };
  return [...others, foreign, ...on];
}

describe('the alarms that are on', () => {
  let tables: Awaited<ReturnType<typeof backlogTables>>;
  let cloudWatch: Awaited<ReturnType<typeof startCloudWatch>>;
  const time = { now: NOW };
  const clock = { now: () => time.now, wall: () => time.now } as never;
  const reader = (changes: object = {}) => {
    const source = alarmsInAws({ table: 'Records', clock, local: false, ...changes });
    if (!source) throw new Error('no source');
    return source;
  };
  const mute = (queue: string, alarms: readonly string[]) =>
    cloudWatch.rules.set(ruleName('Records', queue), {
      ...{ Name: ruleName('Records', queue), Description: 'by ann, "the bank is down"' },
      Rule: { Schedule: { Expression: 'at(2026-11-26T14:00)', Duration: 'P0DT2H0M', Timezone: 'UTC' } },
      MuteTargets: { AlarmNames: alarms },
    });
  const named = (pattern: RegExp) => alarmsOfAccount().find(({ name }) => pattern.test(name))?.name ?? '';

  beforeAll(async () => {
    tables = await backlogTables();
    cloudWatch = await startCloudWatch(alarmsOfAccount());
  });
  afterAll(async () => {
    await cloudWatch.stop();
    await tables.stop();
  });
  beforeEach(async () => {
    await tables.renew('orders', 'bulk');
    await tables.control.put(readingItem('orders'), readingItem('bulk'));
    time.now = NOW;
    cloudWatch.rules.clear();
    cloudWatch.denied.clear();
    cloudWatch.requests.length = 0;
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', tables.endpoint);
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDWATCH', cloudWatch.endpoint);
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local');
    vi.stubEnv('AWS_REGION', 'eu-central-1');
  });

  /** A run has noted that records of `orders` fail. */
  async function fail() {
    const now = Math.floor(Date.now() / 1000);
    const counts = { recentSuccesses: 0, recentFailures: 9, countedAt: now, error: 'HttpError 503' };
    const note = { group: '', since: now - 840, lastAt: now - 40, records: 9, evidence: 20, ...counts };
    const queue = { key: 'queue#orders', retryMode: 'perRecord', retryModeSince: 0 };
    await tables.control.put({ ...queue, failing: failingText({ notes: [note], past: [] }) });
  }
  const run = (...args: string[]) =>
    backlog(...args, '--table', tables.table.name, '--control-table', tables.control.name);

  it('are the construct’s own of this table, of all pages, also those that watch an expression', async () => {
    const source = reader();
    await source.refresh();
    expect(source.reason).toBeUndefined();
    expect(source.on?.map(({ id }) => id).sort()).toEqual(OWN);
    const failures = source.on?.find(({ id }) => id === 'Failures-orders');
    const { name } = { name: named(/Failuresorders/) };
    const onSince = alarmsOfAccount().find((alarm) => alarm.name === name)?.onSince;
    expect(failures).toEqual({ id: 'Failures-orders', name, level: 'page', queue: 'orders', since: onSince });
    expect(source.on?.find(({ id }) => id === 'IntakeErrors')).toMatchObject({
      level: 'ticket',
      queue: undefined,
    });
    expect(cloudWatch.requests.filter((action) => action === 'DescribeAlarms')).toHaveLength(2);
  });

  it('are read again at once after a mute', async () => {
    const source = reader();
    await source.refresh();
    const { length } = cloudWatch.requests;
    await source.refresh();
    expect(cloudWatch.requests).toHaveLength(length);
    mute('orders', [named(/Failuresorders/)]);
    source.forget?.();
    await source.refresh();
    expect(source.on?.find(({ id }) => id === 'Failures-orders')?.muted).toMatchObject({
      note: 'by ann, "the bank is down"',
    });
  });

  it('have the words and the end of their mute, if they are among the alarms of the mute', async () => {
    mute('orders', [named(/Failuresorders/)]);
    const source = reader();
    await source.refresh();
    const muted = Object.fromEntries(source.on?.map(({ id, muted }) => [id, muted]) ?? []);
    expect(muted).toEqual({
      'Failures-orders': { until: Date.parse('2026-11-26T16:00:00Z'), note: 'by ann, "the bank is down"' },
      ...{ 'Dead-orders': undefined, 'Failures-bulk': undefined, IntakeErrors: undefined },
    });
    time.now = Date.parse('2026-11-26T16:00:00Z');
    await source.refresh();
    expect(source.on?.filter((alarm) => alarm.muted)).toEqual([]);
  });

  it('are known without the right to read mutes, which is asked for once a reading', async () => {
    mute('orders', [named(/Failuresorders/)]);
    cloudWatch.denied.add('GetAlarmMuteRule');
    const source = reader();
    await source.refresh();
    expect(source.on?.map(({ id, muted }) => [id, muted]).sort()).toEqual(OWN.map((id) => [id, undefined]));
    expect(cloudWatch.requests).toEqual(['DescribeAlarms', 'DescribeAlarms', 'GetAlarmMuteRule']);
  });

  it('are read every 30 seconds at most, one reading at a time, and are not known two minutes later', async () => {
    const source = reader();
    await Promise.all([source.refresh(), source.refresh()]);
    const first = cloudWatch.requests.length;
    time.now += 29_999;
    await source.refresh();
    expect(cloudWatch.requests).toHaveLength(first);
    time.now += 1;
    await source.refresh();
    expect(cloudWatch.requests).toHaveLength(2 * first);
    time.now += 120_001;
    expect(source.on).toBeUndefined();
  });

  it('are not known without the right to read them, and known once it is there', async () => {
    cloudWatch.denied.add('DescribeAlarms');
    const source = reader();
    await source.refresh();
    expect([source.on, source.reason]).toEqual([
      undefined,
      'needs cloudwatch:DescribeAlarms (docs/permissions.md#mutes)',
    ]);
    cloudWatch.denied.clear();
    time.now += 30_000;
    await source.refresh();
    expect([source.on?.length, source.reason]).toEqual([4, undefined]);
  });

  it('are not known where their SDK was left out, or DynamoDB alone is at another place', async () => {
    vi.doMock('@aws-sdk/client-cloudwatch', () => {
      throw new Error('Cannot find package');
    });
    const source = reader();
    await source.refresh();
    vi.doUnmock('@aws-sdk/client-cloudwatch');
    expect(source.reason).toMatch(/^alarms need @aws-sdk\/client-cloudwatch, an optional dependency/);
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDWATCH', '');
    const local = reader();
    await local.refresh();
    expect([local.on, local.reason]).toEqual([
      undefined,
      expect.stringContaining('AWS_ENDPOINT_URL_DYNAMODB is set'),
    ]);
    expect(cloudWatch.requests).toEqual([]);
    expect(alarmsInAws({ table: 'Records', clock, local: true })).toBeUndefined();
    expect(alarmsInAws({ table: 'Records', clock, local: false, endpoint: tables.endpoint })).toBeUndefined();
  });

  it.each(['stats', 'top'])(
    'are in the incidents of %s --json, and in a line of its text',
    async (command) => {
      await fail();
      const json = JSON.parse((await run(command, '--json')).out);
      expect(json.incidents).toMatchObject([
        {
          queues: ['orders'],
          alarms: [
            {
              name: named(/Failuresorders/),
              level: 'page',
              since: expect.stringMatching(/^2026-11-26T14:13:00/),
            },
            { level: 'ticket' },
            { level: 'ticket' },
          ],
        },
      ]);
      const { out, err } = await run(command, ...(command === 'top' ? ['--once'] : []));
      expect(`${out}\n${err}`).toMatch(
        /alarms: page Failures-orders since .*14:13 UTC; ticket .*-orders since/,
      );
      cloudWatch.denied.add('DescribeAlarms');
      const denied = await run(command, ...(command === 'top' ? ['--once'] : []));
      expect(`${denied.out}\n${denied.err}`.match(/alarms: .*/g)).toEqual([
        'alarms: not known, needs cloudwatch:DescribeAlarms (docs/permissions.md#mutes)',
      ]);
      expect(JSON.parse((await run(command, '--json')).out).incidents[0]).not.toHaveProperty('alarms');
    },
  );

  it('of a local runtime are those that it evaluates, and CloudWatch is not asked', async () => {
    await fail();
    const from = '2026-11-26T14:13:00.000Z';
    const episode = {
      name: 'Failures-orders',
      description: '',
      level: 'page',
      table: 'Records',
      queue: 'orders',
      from,
    };
    const alarms = { since: from, watched: 9, unknown: [], episodes: [episode] };
    const server = createServer(({ url }, response) => {
      const body =
        url === '/status.json' ? { ...status, queues: [], rules: [], alarms } : { minutes: {}, lastRuns: {} };
      response.end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      await announce({
        ...{
          pid: process.pid,
          cwd: process.cwd(),
          startedAt: from,
          endpoint: tables.endpoint,
          queues: ['orders'],
        },
        statusPage: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
        tables: [
          { name: 'Records', records: true },
          { name: 'Control', records: false },
        ],
        clock: { wallStart: 0, start: 0, speed: 1 },
      });
      const [incident] = JSON.parse((await run('top', '--json')).out).incidents;
      expect(incident.alarms).toEqual([{ name: 'Failures-orders', level: 'page', since: from }]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
    expect(cloudWatch.requests).toEqual([]);
  });

  it('are not asked for while nothing fails, also where records are dead', async () => {
    await tables.table.put({
      ...{ id: 'given-up', status: 'DEAD', payload: {}, queue: 'orders', rev: 'r', lane: 'orders/dead' },
      ...{ insertedAt: '2026-01-01T00:00:00.000Z', dueAt: '2026-01-02T00:00:00.000Z' },
    });
    const { incidents } = JSON.parse((await run('top', '--json')).out);
    expect(incidents).toMatchObject([{ id: 'dead orders', state: 'dead' }]);
    for (const args of [['stats'], ['stats', '--json'], ['top', '--once'], ['top', '--json']]) {
      const { out, err } = await run(...args);
      expect(`${out}${err}`).not.toContain('alarms: ');
    }
    expect(cloudWatch.requests).toEqual([]);
  });
});
