import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sampleKeys } from '../../functions/monitor/key-gauges.js';
import { type MonitorSeams, monitorHandler } from '../../functions/monitor/monitor-handler.js';
import { keyDimension, type RateLimitedCounts } from '../../src/monitor/index.js';
import { busyKeysText, hashOfKey } from '../../src/record/busy-keys.js';
import type { Item } from '../../src/record/index.js';
import { StoreAccessError } from '../../src/store/index.js';
import { type DynamoDbUnderTest, dynamoDbUnderTest } from '../store/dynamodb-under-test.js';
import { NOW } from '../store/records.js';
import { startDynamoDb } from '../store/start-dynamodb.js';
import { context, environment, workbench } from './support.js';

const queues = { webhooks: { retryMode: 'perRecord' as const }, orders: { retryMode: 'perRecord' as const } };
const iso = (ms: number) => new Date(NOW + ms).toISOString();
/** Hostile keys, each with the value of its dimension. */
const HOSTILE = {
  ['__proto__']: '__proto__',
  ':leading': '%3Aleading',
  '<img src=x onerror=alert(1)>': '<img%20src=x%20onerror=alert(1)>',
  '\u0000\r\n\u202e': '%00%0D%0A%E2%80%AE',
  ['\u{1F980}'.repeat(64)]: '%F0%9F%A6%80'.repeat(64),
};

let endpoint: Awaited<ReturnType<typeof startDynamoDb>>;
let db: DynamoDbUnderTest;
let written: Record<string, unknown>[];

beforeAll(async () => {
  endpoint = await startDynamoDb();
});
afterAll(() => endpoint.stop());
beforeEach(async () => {
  db = await dynamoDbUnderTest(endpoint.endpoint);
  written = [];
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', endpoint.endpoint);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    written.push(JSON.parse(String(line)));
    return true;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await db.close();
});

/** Puts records of a key that wait; `retry` of them have failed. */
const put = (...args: Parameters<typeof records>) => db.put(...records(...args));

function records(
  key: string | undefined,
  count: number,
  { retry = 0, ...item }: Item & { retry?: number } = {},
) {
  const name = key === undefined ? 'none' : Buffer.from(key).toString('hex').slice(0, 40);
  const failed = { status: 'ERROR', failures: 1, lastError: { name: 'HttpError', message: '503' } };
  return Array.from({ length: count }, (_, i) => ({
    ...{ id: `${name}-${i}`, payload: {}, queue: 'webhooks', lane: 'webhooks', rev: 'r' },
    ...{ insertedAt: iso(-60_000), dueAt: iso(-i * 10), ...(key === undefined ? {} : { key }) },
    ...(i < retry ? failed : { status: 'NEW' }),
    ...item,
  }));
}

/** The monitor as it is deployed, except its clock. */
function monitor(keys: readonly string[] = ['webhooks'], changes: MonitorSeams = {}) {
  const { overrides, log } = workbench(queues);
  const env = {
    ...environment(queues),
    ...{ BACKLOG_TABLE: db.tables.records, BACKLOG_CONTROL_TABLE: db.tables.control },
    BACKLOG_KEY_METRICS: JSON.stringify(keys),
  };
  const clock = { now: () => NOW, wall: () => NOW, sleep: overrides.clock.sleep };
  const { logger } = overrides;
  const handler = monitorHandler({ clock, logger, env, trouble: async () => undefined, ...changes });
  return { read: () => handler({ monitor: true }, context), log };
}

const keyLines = () =>
  written
    .filter((line) => 'KeyWaiting' in line || 'KeyInRetry' in line)
    .map(({ _aws, Table: _, ...line }) => line);
const counts = (pending: number, changes: Partial<RateLimitedCounts> = {}): RateLimitedCounts => ({
  counts: { pending, dead: 0, oldestDueAt: undefined },
  ...{ inRetry: 0, lanes: 1, at: iso(0), isOld: false, ...changes },
});
const where = () => ({
  ...{ table: db.tables.records, controlTable: db.tables.control, client: db.client },
  clock: { now: () => NOW, wall: () => NOW, sleep: async () => {} },
});
const QUEUE = { name: 'webhooks', shards: 1, bands: [] };

describe('the metrics of keys', () => {
  it('are of the five with most waiting records, and of the queue for the worst of them', async () => {
    for (const [i, key] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) await put(key, 12 - i);
    await put('failing', 6, { retry: 6 });
    await put(undefined, 20);
    await put('other', 30, { queue: 'orders', lane: 'orders' });
    await monitor().read();
    expect(keyLines()).toEqual([
      { Queue: 'webhooks', KeyWaiting: 12, KeyInRetry: 6 },
      ...['a', 'b', 'c', 'd', 'e'].map((Key, i) => ({ Queue: 'webhooks', Key, KeyWaiting: 12 - i })),
    ]);
    const [ofQueue, ofKey] = written.filter((line) => 'KeyWaiting' in line);
    const dimensions = (line: unknown) =>
      (line as { _aws: { CloudWatchMetrics: { Dimensions: unknown }[] } })._aws.CloudWatchMetrics.map(
        ({ Dimensions }) => Dimensions,
      );
    expect(dimensions(ofQueue)).toEqual([[['Table', 'Queue']]]);
    expect(dimensions(ofKey)).toEqual([[['Table', 'Queue', 'Key']]]);
  });

  it('have hostile keys as printable ASCII, which can be decoded', async () => {
    for (const key of Object.keys(HOSTILE)) await put(key, 5);
    await monitor().read();
    const dimensions = keyLines().flatMap(({ Key }) => (Key === undefined ? [] : [String(Key)]));
    expect(dimensions.sort()).toEqual(Object.values(HOSTILE).sort());
    for (const one of dimensions) expect(one).toMatch(/^[!-9;-~][!-~]{0,1023}$/);
    expect(dimensions.map(decodeURIComponent).sort()).toEqual(Object.keys(HOSTILE).sort());
  });

  it('are none of keys with few records, of records without keys, and of queues that do not ask for it', async () => {
    await put('few', 4);
    await put(undefined, 30);
    const { read } = monitor();
    await read();
    expect(keyLines()).toEqual([]);
    await put('many', 9);
    await monitor([]).read();
    expect(keyLines()).toEqual([]);
    await monitor().read();
    expect(keyLines()).toHaveLength(2);
  });

  it('of an empty queue cost no request', async () => {
    const { client, ...rest } = where();
    const broken = {
      ...rest,
      client: { ...client, send: () => Promise.reject(new Error('asked')) } as never,
    };
    expect(await sampleKeys(broken, QUEUE, counts(0))).toMatchObject({ worst: [], readUnits: 0 });
    await expect(sampleKeys(broken, QUEUE, counts(5))).rejects.toThrow('asked');
  });

  it('keep no other queue from being read if one cannot be, and fail the invocation', async () => {
    await put('a', 9);
    const refused = async () => {
      throw new StoreAccessError('no access');
    };
    const { getItems } = db.store.records;
    Object.assign(db.store.records, { getItems: refused });
    const { read } = monitor(['webhooks', 'orders'], { store: db.store });
    await put('b', 9, { queue: 'orders', lane: 'orders' });
    await expect(read()).rejects.toThrow('no access');
    Object.assign(db.store.records, { getItems });
    Object.assign(db.store.queues, {
      read: async (queue: string) => {
        if (queue === 'webhooks') throw new StoreAccessError('no access to webhooks');
        return { paused: false, breakers: new Map() };
      },
    });
    await expect(read()).rejects.toThrow('no access to webhooks');
    expect(keyLines()).toEqual([
      { Queue: 'orders', KeyWaiting: 9 },
      { Queue: 'orders', Key: 'b', KeyWaiting: 9 },
    ]);
  });

  it('count what waits in the lane of a busy key', async () => {
    await put('busy', 9, { lane: 'webhooks#31' });
    await put('quiet', 5);
    const lane = { shard: 31, hash: hashOfKey('busy'), until: NOW + 3_600_000 };
    await db.store.queues.noteBusyKeys('webhooks', busyKeysText([lane]), undefined);
    await monitor().read();
    expect(keyLines()).toContainEqual({ Queue: 'webhooks', Key: 'busy', KeyWaiting: 9 });
  });
});

describe('a sample of the keys', () => {
  it('reads 200 records of a long queue, for 150 read units at most, and names no key of a few records', async () => {
    const noisy = 900;
    await db.put(
      ...Array.from({ length: 300 }, (_, i) => records(`quiet-${i}`, 1, { dueAt: iso(-i * 7) })).flat(),
    );
    await put('noisy', noisy, { retry: 0 });
    const { worst, most, readUnits } = await sampleKeys(where(), QUEUE, counts(noisy + 300));
    expect(worst.map(({ key }) => key)).toEqual(['noisy']);
    expect(Math.abs(most.waiting - noisy)).toBeLessThan(0.15 * noisy);
    // 200 records for half a unit each, and 1,200 entries of the index.
    expect(readUnits).toBeGreaterThan(100);
    expect(readUnits).toBeLessThan(125);
  });

  it('reads the lanes of busy keys, which are beyond the shards', async () => {
    await put('busy', 9, { lane: 'webhooks#31' });
    const busyKeys = busyKeysText([{ shard: 31, hash: hashOfKey('busy'), until: NOW + 3_600_000 }]);
    expect((await sampleKeys(where(), { ...QUEUE, busyKeys }, counts(9))).most.waiting).toBe(9);
    expect((await sampleKeys(where(), QUEUE, counts(9))).most.waiting).toBe(0);
  });

  it('has as many in retry as the monitor has counted: failed records stand together in the index', async () => {
    await put('a', 300, { retry: 150 });
    const { most } = await sampleKeys(where(), QUEUE, counts(300, { inRetry: 200 }));
    expect(Math.abs(most.inRetry - 200)).toBeLessThan(3);
    expect(Math.abs(most.waiting - 300)).toBeLessThan(3);
  });

  it('stops at 100 read units of large records', async () => {
    await put('large', 60, { payload: 'x'.repeat(30_000) });
    const { readUnits, worst } = await sampleKeys(where(), QUEUE, counts(60));
    expect(worst).toMatchObject([{ key: 'large', waiting: 60 }]);
    expect(readUnits).toBeLessThan(115);
  });
});

it.each(Object.entries(HOSTILE))('the dimension of %j is %s', (key, dimension) => {
  expect(keyDimension(key)).toBe(dimension);
  expect(decodeURIComponent(dimension)).toBe(key);
});

it.each([
  ['tenant-7', 'tenant-7'],
  ['Acme Ltd', 'Acme%20Ltd'],
  ['100%', '100%25'],
  ['%41', '%2541'],
  [' ', '%20'],
  ['a:b', 'a:b'],
  ['ü', '%C3%BC'],
  ['\ud800', '%EF%BF%BD'],
])('the dimension of %j is %s', (key, dimension) => expect(keyDimension(key)).toBe(dimension));
