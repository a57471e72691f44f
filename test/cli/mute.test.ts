import { userInfo } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { AlarmMutes } from '../../tools/src/cli/mute/alarm-mutes.js';
import { endOf, ruleName } from '../../tools/src/cli/mute/rule.js';
import { openSource } from '../../tools/src/cli/top/source.js';
import { announce } from '../../tools/src/local/discovery.js';
import { backlogTables } from './backlog-tables.js';
import { deployedAlarms } from './deployed-alarms.js';
import { startCloudWatch } from './fake-cloudwatch.js';
import { backlog } from './in-process.js';

const NOW = Date.parse('2026-11-26T14:02:41.500Z');
const HOUR = 3_600_000;

describe('a mute', () => {
  let tables: Awaited<ReturnType<typeof backlogTables>>;
  let cloudWatch: Awaited<ReturnType<typeof startCloudWatch>>;
  const many = Array.from({ length: 101 }, (_, i) => ({
    name: `Dead-${i}`,
    description: '[ticket] Records were given up. Runbook: docs/runbook.md#dead',
    metric: 'Dead',
    dimensions: { Table: 'Records', Queue: 'many' },
  }));

  beforeAll(async () => {
    tables = await backlogTables();
    cloudWatch = await startCloudWatch([...deployedAlarms(), ...many]);
  });
  afterAll(async () => {
    await cloudWatch.stop();
    await tables.stop();
  });
  beforeEach(async () => {
    await tables.renew('orders', 'bulk', 'quiet', 'many');
    cloudWatch.rules.clear();
    cloudWatch.denied.clear();
    cloudWatch.requests.length = 0;
    cloudWatch.setStatus('ACTIVE');
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', tables.endpoint);
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDWATCH', cloudWatch.endpoint);
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local');
    vi.stubEnv('AWS_REGION', 'eu-central-1');
  });

  async function run(...args: string[]) {
    const at = ['--table', tables.table.name, '--control-table', tables.control.name];
    const { code, out, err, error } = await backlog(...args, ...at);
    const exit = code ?? (error as { exitCode?: number } | undefined)?.exitCode;
    return { code: exit, out, err, json: out.startsWith('{') ? JSON.parse(out) : undefined };
  }
  const rule = () => [...cloudWatch.rules.values()];

  it('of two hours is one rule for the alarms of that queue that the construct made, and for no other', async () => {
    const said = ['--reason', 'the bank is down', '--by', 'ann', '--json'];
    const { code, err, json } = await run('mute', 'orders', '--until', '2h', ...said);
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(
        /^orders of table Records at .*: 6 alarms muted until .*\d\d:\d\d UTC, by ann, "the bank is down"; what is still on then notifies$/,
      ),
    });
    const kinds = rule()[0]?.MuteTargets?.AlarmNames.map(
      (name) => /Alarms([A-Z][A-Za-z]+)orders/.exec(name)?.[1],
    );
    expect(kinds).toEqual(['Dead', 'DepthPerKey', 'Depth', 'Failures', 'Lag', 'UnknownTask']);
    const end = endOf(rule()[0]?.Rule.Schedule ?? {}) ?? 0;
    expect(Math.abs(end - (Date.now() + 2 * HOUR))).toBeLessThanOrEqual(60_000);
    expect(json).toEqual({
      ...{ queue: 'orders', muted: true, until: new Date(end).toISOString() },
      ...{ rule: ruleName('Records', 'orders'), alarms: rule()[0]?.MuteTargets?.AlarmNames },
    });
    expect(cloudWatch.requests).toHaveLength(10);
  });

  it('replaces the one before, and is ended by unmute, which says by whose words it lasted', async () => {
    await run('mute', 'orders', '--until', '2h');
    await run('mute', 'orders', '--until', '3d', '--reason', 'longer');
    expect(rule()).toMatchObject([{ Rule: { Schedule: { Duration: 'P3DT0H1M' } } }]);
    await run('mute', 'bulk', '--until', '1h');
    expect(rule()).toHaveLength(2);
    const { code, err, json } = await run('unmute', 'orders', '--json');
    const words = `by ${userInfo().username}, "longer"`;
    expect(err).toMatch(new RegExp(`its alarms notify again; the mute was until .* UTC, ${words}$`));
    expect({ code, json }).toEqual({ code: 0, json: { queue: 'orders', muted: false, changed: true } });
    expect(rule()).toMatchObject([{ Name: ruleName('Records', 'bulk') }]);
    const again = await run('unmute', 'orders', '--json');
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining('its alarms were not muted') });
    expect(again.json.changed).toBe(false);
  });

  it('that is over is removed as well, and said to be over', async () => {
    await run('mute', 'orders', '--until', '2h');
    cloudWatch.setStatus('EXPIRED');
    const { err, json } = await run('unmute', 'orders', '--json');
    expect(err).toContain('the mute is over: it was until ');
    expect(json.changed).toBe(false);
    expect(rule()).toEqual([]);
  });

  it.each([
    [['orders'], 2, /required option '--until/],
    [['orders', '--until', 'noon'], 2, /mute\.until: expected a time that lies ahead.*got "noon"/],
    [['orders', '--until', '2025-11-26T14:00:00Z'], 2, /a time that lies ahead/],
    [['orders', '--until', '16d'], 2, /expected a time within 15 days, got "16d"/],
    [['orders', '--until', '2h', '--reason', 'x'.repeat(201)], 2, /mute\.reason: .*200/],
    [['oders', '--until', '2h'], 2, /has no queue "oders"; did you mean "orders"\?/],
    [['a b', '--until', '2h'], 2, /Expected the name of a queue/],
    [['quiet', '--until', '2h'], 1, /the queue quiet has no alarms of its own in CloudWatch/],
    [['many', '--until', '2h'], 1, /the queue many has 101 alarms: a rule mutes 100 at most/],
  ])('with %j ends with code %i, in one line, and makes no rule', async (args, code, message) => {
    const answer = await run('mute', ...args);
    expect(answer.err).toMatch(message);
    // Commander's own errors have 1; the process ends with 2 for all of them.
    expect(code === 2 ? [1, 2] : [undefined]).toContain(answer.code);
    expect(cloudWatch.requests).not.toContain('PutAlarmMuteRule');
  });

  it.each([
    ['DescribeAlarmsForMetric', 1],
    ['PutAlarmMuteRule', 9],
  ])('without the right to %s says which one, with request %i as the last', async (action, requests) => {
    cloudWatch.denied.add(action);
    const { code, err } = await run('mute', 'orders', '--until', '2h');
    expect(err).toBe(
      `error: CloudWatch: not authorized to perform: cloudwatch:${action} (the rights: docs/permissions.md#mutes)`,
    );
    expect(code).toBeUndefined();
    expect(rule()).toEqual([]);
    expect(cloudWatch.requests).toHaveLength(requests);
  });

  it('is there without the right to read it, and unmute then changes nothing', async () => {
    cloudWatch.denied.add('GetAlarmMuteRule');
    expect((await run('mute', 'orders', '--until', '2h')).code).toBe(0);
    expect((await run('unmute', 'orders')).err).toContain('cloudwatch:GetAlarmMuteRule');
    expect(rule()).toHaveLength(1);
  });

  it('that CloudWatch takes for over is an error', async () => {
    cloudWatch.setStatus('EXPIRED');
    expect((await run('mute', 'orders', '--until', '2h')).err).toMatch(
      /the time of the rule is over: .*clock/,
    );
  });

  it('is refused at a local runtime and at an endpoint, before anything is asked', async () => {
    const named = await run('mute', 'orders', '--until', '2h', '--endpoint', tables.endpoint);
    expect(named.err).toBe(
      `error: alarms are in CloudWatch, not at ${tables.endpoint}: name the tables or the stack without --endpoint`,
    );
    await announce({
      ...{ pid: process.pid, cwd: process.cwd(), startedAt: new Date().toISOString() },
      ...{ endpoint: tables.endpoint, statusPage: 'http://127.0.0.1:1/', queues: ['orders'] },
      tables: [
        { name: 'Records', records: true },
        { name: 'Control', records: false },
      ],
      clock: { wallStart: 0, start: 0, speed: 1 },
    });
    for (const args of [
      ['mute', 'orders', '--until', '2h'],
      ['unmute', 'orders'],
    ]) {
      const { err } = await run(...args);
      expect(err).toBe('error: alarms of a local runtime notify no operator: there is nothing to mute');
    }
    expect(cloudWatch.requests).toEqual([]);
  });

  it('by the key of top says how many alarms, and what CloudWatch has of it', async () => {
    const source = (at: object) =>
      openSource({ table: 'Records', controlTable: 'Control', ...at }, { patient: true });
    const { explorer, close } = await source({});
    expect(await explorer?.mutes.read('bulk')).toBeUndefined();
    const said = await explorer?.mutes.mute('bulk', { until: '2h', reason: 'the bank is down' });
    const words = /until .*\d\d:\d\d UTC, by \S+, "the bank is down"$/;
    expect(said).toMatch(new RegExp(`^3 alarms of bulk muted ${words.source}`));
    expect(await explorer?.mutes.read('bulk')).toMatch(words);
    await expect(explorer?.mutes.mute('bulk', { until: '' })).rejects.toThrow(/mute.until: expected a time/);
    cloudWatch.setStatus('EXPIRED');
    expect(await explorer?.mutes.read('bulk')).toBeUndefined();
    await explorer?.mutes.unmute('bulk');
    expect(rule()).toEqual([]);
    close();
    const elsewhere = await source({ endpoint: tables.endpoint });
    expect(elsewhere.explorer?.muteRefusal).toMatch(/alarms are in CloudWatch, not at http/);
    elsewhere.close();
  });

  it('says which package it needs, if that was left out', async () => {
    vi.doMock('@aws-sdk/client-cloudwatch', () => {
      throw new Error('Cannot find package');
    });
    const { err } = await run('mute', 'orders', '--until', '2h');
    vi.doUnmock('@aws-sdk/client-cloudwatch');
    expect(err).toMatch(
      /^error: mutes need @aws-sdk\/client-cloudwatch, an optional dependency.*npm install/,
    );
  });

  it('finds the alarms of a table that is named by its ARN', async () => {
    const table = 'arn:aws:dynamodb:eu-central-1:111111111111:table/Records';
    const clock = { now: () => NOW } as never;
    const mutes = new AlarmMutes({ table, clock, local: false });
    await mutes.mute('bulk', { until: NOW + 2 * HOUR, by: 'ann', reason: 'the bank is down' });
    expect(rule()).toEqual([
      {
        Name: ruleName('Records', 'bulk'),
        Description: 'by ann, "the bank is down"',
        Rule: { Schedule: { Expression: 'at(2026-11-26T14:02)', Duration: 'P0DT2H1M', Timezone: 'UTC' } },
        MuteTargets: {
          AlarmNames: [expect.stringContaining('Deadbulk'), expect.anything(), expect.anything()],
        },
      },
    ]);
    const until = Date.parse('2026-11-26T16:03:00Z');
    expect(await mutes.read('bulk')).toMatchObject({
      until,
      note: 'by ann, "the bank is down"',
      isOver: false,
    });
    expect(await mutes.read('orders')).toBeUndefined();
  });
});
