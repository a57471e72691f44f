import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { askCloudWatch } from '../../tools/src/cli/cloudwatch/ask.js';
import { metricSums } from '../../tools/src/cli/cloudwatch/metric-sums.js';
import { QUEUE_METRICS, TABLE_METRICS } from '../../tools/src/cli/cost/metric-list.js';
import { MONITORING } from '../../tools/src/cost/own-bill.js';
import { startCloudFormation } from './fake-cloudformation.js';
import { startCloudWatch } from './fake-cloudwatch.js';
import { startService } from './fake-service.js';
import { backlog } from './in-process.js';
import { FIGURES, hourly, OF_OTHERS, templateOf, without, withoutOwn } from './measured-stack.js';

const HOUR = 3_600;
const MONTH_HOURS = 730.5;

describe('backlog cost --stack', () => {
  let cloudFormation: Awaited<ReturnType<typeof startCloudFormation>>;
  let cloudWatch: Awaited<ReturnType<typeof startCloudWatch>>;
  let dynamodb: Awaited<ReturnType<typeof startService>>;
  let createdAt = 0;
  let isProvisioned = false;

  beforeAll(async () => {
    const template = templateOf();
    cloudFormation = await startCloudFormation({
      Shop: { template },
      Quiet: { template: templateOf({ metrics: 'off' }) },
      Imported: { template: withoutOwn('handler') },
      Process: { template: withoutOwn('external') },
      Silent: { template, tellsResources: false },
      Others: { template: OF_OTHERS },
      Website: { template: { Resources: { Page: {} } } },
    });
    cloudWatch = await startCloudWatch([]);
    dynamodb = await startService('dynamodb', {
      DescribeTable: ({ TableName }: { TableName: string }) => {
        const hasIndex = TableName.includes('Records');
        const index = { IndexName: 'due', ItemCount: 100, IndexSizeBytes: 10_000 };
        return {
          Table: {
            ...{ TableName, CreationDateTime: createdAt },
            ...(hasIndex
              ? { ItemCount: 1_000, TableSizeBytes: 950_000 }
              : { ItemCount: 10, TableSizeBytes: 2_000 }),
            ...(hasIndex ? { GlobalSecondaryIndexes: [index] } : {}),
            ...(isProvisioned
              ? { ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 5 } }
              : {}),
          },
        };
      },
      DescribeContinuousBackups: ({ TableName }: { TableName: string }) => {
        const PointInTimeRecoveryStatus = TableName.includes('Records') ? 'ENABLED' : 'DISABLED';
        return {
          ContinuousBackupsDescription: { PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus } },
        };
      },
    });
  });
  afterAll(async () => {
    for (const fake of [cloudFormation, cloudWatch, dynamodb]) await fake.stop();
  });
  beforeEach(() => {
    createdAt = 0;
    isProvisioned = false;
    cloudWatch.setFigures({ hourly: hourly(FIGURES) });
    for (const { denied, requests } of [cloudWatch, dynamodb]) {
      denied.clear();
      requests.length = 0;
    }
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', cloudFormation.endpoint);
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDWATCH', cloudWatch.endpoint);
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', dynamodb.endpoint);
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local');
    vi.stubEnv('AWS_REGION', 'eu-central-1');
  });

  async function bill(...args: string[]) {
    const { code, out, err, error } = await backlog('cost', '--stack', 'Shop', '--json', ...args);
    const exit = code ?? (error as { exitCode?: number } | undefined)?.exitCode;
    const json = out.startsWith('{') ? JSON.parse(out) : undefined;
    const lines = (json?.items ?? []) as { name: string; quantity: number; dollars: number; from: string }[];
    const quantities = Object.fromEntries(lines.map(({ name, quantity }) => [name, quantity]));
    const from = Object.fromEntries(lines.map((line) => [line.name, line.from]));
    return { code: exit, err, error, json, lines, quantities, from };
  }

  it('counts all units, requests, GB-seconds and bytes of a month like the hours that were measured', async () => {
    const { code, err, quantities, lines, json } = await bill();
    expect([code, err]).toEqual([0, '']);
    const rounded = Object.fromEntries(
      Object.entries(quantities).map(([name, quantity]) => [name, Number(quantity.toPrecision(9))]),
    );
    expect(rounded).toMatchObject({
      // Tables and index.
      'DynamoDB, writes': 250 * MONTH_HOURS,
      'DynamoDB, reads': 200 * MONTH_HOURS,
      // 100 bytes more for each item of tables and index.
      'DynamoDB, storage': (950_000 + 2_000 + 10_000 + 100 * (1_000 + 10 + 100)) / 1e9,
      'DynamoDB, backup (point in time)': (950_000 + 100 * 1_000) / 1e9,
      'Lambda, runs, requests': 100 * MONTH_HOURS,
      // 20 s with 512 MB and 16 s with 128 MB an hour.
      'Lambda, runs, time': 12 * MONTH_HOURS,
      'Lambda, intake and monitor, requests': 12 * MONTH_HOURS,
      'CloudWatch, logs': (1.5 * MONTH_HOURS) / 1_000,
      // Six metrics of queues, in each hour.
      'CloudWatch, metrics': 6,
      'CloudWatch, alarms': MONITORING.full.alarms + 2 * MONITORING.full.alarmsPerQueue,
      'CloudWatch, composite alarm': 1,
      'CloudWatch, dashboard': 1,
    });
    const time = lines.find(({ name }) => name === 'Lambda, runs, time');
    expect(time?.dollars).toBeCloseTo((MONTH_HOURS * (10 * 13.3334 + 2 * 16.6667)) / 1e6, 8);
    expect(json.dollars).toBeCloseTo(lines.reduce((sum, { dollars }) => sum + dollars, 0));
    // 110 of 120 attempts were the last one of a record of 950 bytes, of which 250 are the library's.
    expect(json.work).toMatchObject({ bytes: 700, queues: 2, isProgressive: false });
    expect(json.work.failing).toBeCloseTo(10 / 120);
    expect(json.volume.records).toBeCloseTo(110 * MONTH_HOURS);
    expect(cloudWatch.requests).toEqual(['GetMetricData']);
    expect(Date.parse(json.stack.to) - Date.parse(json.stack.from)).toBe(168 * HOUR * 1_000);
  });

  it('says for each line where it comes from, and which hours were read', async () => {
    const { out, code } = await backlog('cost', '--stack', 'Shop', '--over', '2d');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^\$\d+\.\d\d a month for 80,400 records\nstack Shop, 48 hours from .* to .*:00 UTC$/m,
    );
    expect(out).toMatch(/^DynamoDB, writes +183,000 write units +\$0\.11 +measured$/m);
    expect(out).toMatch(/^CloudWatch, alarms +\d+ alarms +\$\d\.\d\d +template$/m);
    expect(out).toMatch(/^SQS and Lambda, batches of 10 +\$/m);
    for (const line of out.split('\n').slice(0, -1)) expect(line.length).toBeLessThanOrEqual(130);
  });

  it('takes the hours in which a younger backlog was there, so that it seems no cheaper', async () => {
    const first = await bill();
    createdAt = Math.floor(Date.now() / 1_000) - 48 * HOUR;
    cloudWatch.setFigures({ hourly: hourly(FIGURES), since: createdAt, pageSize: 100 });
    const young = await bill('--over', '455d');
    const hours = (Date.parse(young.json.stack.to) - Date.parse(young.json.stack.from)) / 3_600_000;
    expect([46, 47]).toContain(hours);
    expect(young.json.dollars).toBeCloseTo(first.json.dollars, 6);
    expect(cloudWatch.requests.length).toBeGreaterThan(5);
    createdAt = Date.now() / 1_000;
    expect((await bill()).err).toContain('the tables of Shop are too new: not one whole hour can be read');
  });

  it.each([
    ['AWS/DynamoDB', ['DynamoDB, writes', 'DynamoDB, reads'], 'units of DynamoDB'],
    ['AWS/Logs', ['CloudWatch, logs'], 'logs'],
    [
      'AWS/Lambda',
      ['Lambda, runs, requests', 'Lambda, runs, time', 'Lambda, intake and monitor, requests'],
      'runs of Lambda',
    ],
  ])('takes lines from the model where CloudWatch has no data of %s', async (service, names, what) => {
    cloudWatch.setFigures({ hourly: hourly(without(service)) });
    const { code, err, from, quantities, json } = await bill();
    expect(code).toBe(3);
    expect(err).toContain(`not read: ${what} (CloudWatch has none); taken from the model`);
    expect(json.stack.notes).toEqual(err.split('\n'));
    for (const name of names) {
      expect(from[name]).toBe('model');
      expect(quantities[name]).toBeGreaterThan(0);
    }
    const others = Object.entries(from).filter(([name]) => !name.startsWith(names[0]?.split(',')[0] ?? ''));
    expect(others.map(([, one]) => one)).not.toContain('model');
  });

  it('does not take what is outside of the stack for nothing', async () => {
    const imported = await bill('--stack', 'Imported');
    expect(imported.code).toBe(3);
    expect(imported.err).toBe(
      'not read: runs of Lambda (no function of the stack serves own); taken from the model',
    );
    expect(imported.from['Lambda, runs, time']).toBe('model');
    cloudWatch.setFigures({ hourly: hourly(without('DynamoBacklog Attempted own')) });
    const process = await bill('--stack', 'Process');
    expect(process.err).toMatch(/^not read: attempts of own \(/);
    expect(process.from['Lambda, runs, time']).toBe('measured');
  });

  it('takes storage from the model where the tables may not be described', async () => {
    dynamodb.denied.add('DescribeTable');
    const { code, err, from, json } = await bill('--size', '2KB');
    expect(code).toBe(3);
    expect(err).toMatch(/^not read: the size and the age of the tables \(.*access denied/);
    expect(from).toMatchObject({ 'DynamoDB, storage': 'model', 'DynamoDB, writes': 'measured' });
    expect(json.work.bytes).toBe(2_048);
    dynamodb.denied.clear();
    dynamodb.denied.add('DescribeContinuousBackups');
    const second = await bill();
    expect(second.err).toContain('backups of the tables (dynamodb:DescribeContinuousBackups)');
    expect(second.from).toMatchObject({
      ...{ 'DynamoDB, backup (point in time)': 'model', 'DynamoDB, storage': 'measured' },
    });
  });

  it('is that of an idle backlog where nothing was attempted', async () => {
    cloudWatch.setFigures({ hourly: hourly(without('DynamoBacklog')) });
    const { out, code } = await backlog('cost', '--stack', 'Shop');
    expect(code).toBe(0);
    expect(out).toMatch(/^\$\d+\.\d\d a month for 0 records$/m);
    expect(out).toMatch(/^total +\$\d+\.\d\d$/m);
    expect(out).not.toMatch(/NaN|∞|Infinity/);
  });

  it('needs the rate where the stack writes no metrics', async () => {
    cloudWatch.setFigures({ hourly: hourly(without('DynamoBacklog')) });
    const refused = await bill('--stack', 'Quiet');
    expect(refused.err).toContain('say with --rate how many records come in');
    expect(refused.code).toBe(1);
    const { code, err, json } = await bill('--stack', 'Quiet', '--rate', '1/s');
    expect([code, json.work.perSecond]).toEqual([3, 1]);
    expect(err).toContain("not read: attempts (metrics: 'off')");
  });

  it('does not use a rate and a size that are given beside what was measured, and says so', async () => {
    const { code, err, json } = await bill('--rate', '99/s', '--size', '9KB');
    expect(code).toBe(0);
    expect(err).toBe('--rate is not used: attempts were measured\n--size is not used: records were measured');
    expect(json.stack.notes).toEqual([]);
    expect(json.work.bytes).toBe(700);
  });

  it('says that units of provisioned tables are counted as on demand', async () => {
    isProvisioned = true;
    expect((await bill()).err).toContain('has provisioned capacity: its units are counted as on demand');
  });

  it.each([
    ['Shpo', 'cannot read the template of Shpo: Stack with id Shpo does not exist'],
    ['Website', '--stack: the deployed stack Website describes no Backlog'],
    ['Others', "they are another stack's: name that stack"],
    ['Silent', 'not authorized to perform: ListStackResources (the rights: docs/permissions.md#operators)'],
  ])('refuses the stack %s', async (stack, message) => {
    const { error, err, json } = await bill('--stack', stack);
    expect(error).toMatchObject({ name: 'ConfigurationError' });
    expect(err).toContain(message);
    expect(json).toBeUndefined();
  });

  it('fails without the right to read metrics, and where there are none in the time', async () => {
    cloudWatch.denied.add('GetMetricData');
    const denied = await bill();
    expect(denied.error).toMatchObject({ name: 'ConfigurationError' });
    expect(denied.err).toContain('cloudwatch:GetMetricData (the rights: docs/permissions.md#operators)');
    cloudWatch.denied.clear();
    cloudWatch.setFigures({ hourly: () => undefined });
    const none = await bill('--over', '3h');
    expect(none.err).toMatch(/CloudWatch has no figures of Shop in 3 hours from .* take more with --over/);
    expect(none.json).toBeUndefined();
  });

  it.each([
    [['--over', '30m'], 'Expected a duration from 1h to 455d'],
    [['--over', '456d'], 'Expected a duration from 1h to 455d'],
    [['--failing', '5%'], 'cannot be used with option'],
  ])('refuses %j', async (args, message) => {
    const { error, err } = await bill(...args);
    expect(error).toMatchObject({ name: 'CommanderError' });
    expect(err).toContain(message);
  });

  it('reads more than 500 metrics in several requests, in their order', async () => {
    cloudWatch.setFigures({ hourly: (_, value) => Number(value) });
    const metrics = Array.from({ length: 501 }, (_, i) => {
      return { namespace: 'Test', name: 'Count', dimensions: { Number: String(i) } };
    });
    const hours = { from: 0, to: 2 * HOUR * 1_000 };
    const sums = await askCloudWatch('tests', (asked) => metricSums(asked, metrics, hours));
    expect(sums).toEqual(metrics.map((_, i) => ({ sum: 2 * i, hours: 2 })));
    expect(cloudWatch.requests).toEqual(['GetMetricData', 'GetMetricData']);
  });
});

it('the metrics that are counted are those of docs/metrics.md', async () => {
  const rows = (await readFile('docs/metrics.md', 'utf8')).match(/^\| `[A-Z].*\| `metric.*$/gm) ?? [];
  const namesOf = (some: readonly string[]) =>
    some.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name)).sort();
  const isOfQueue = (row: string) => row.includes('(queue)');
  expect([...QUEUE_METRICS].sort()).toEqual(namesOf(rows.filter(isOfQueue)));
  expect([...TABLE_METRICS].sort()).toEqual(namesOf(rows.filter((row) => !isOfQueue(row))));
});
