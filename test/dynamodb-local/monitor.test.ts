import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inRetry } from '../../src/monitor/in-retry.js';
import { type MonitoredQueue, oldestDueAge, RateLimitedCounter } from '../../src/monitor/index.js';
import { DEFAULT_TIERS, tierBands } from '../../src/policies/index.js';
import { createDynamoDbClient, DynamoDbOperatorStore, type OnConsumed } from '../../src/store/index.js';
import { createTables, deleteTables, type TestTables } from '../store/tables.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

const client = createDynamoDbClient({ endpoint: dynamoDbLocalEndpoint() });
const clock = { now: Date.now, wall: Date.now, sleep: async () => {} };
const RECORDS = 2_000;
let tables: TestTables;
let store: DynamoDbOperatorStore;
let readUnits = 0;

beforeAll(async () => {
  tables = await createTables(client);
  const onConsumed: OnConsumed = ({ kind, units }) => {
    if (kind === 'read') readUnits += units;
  };
  store = new DynamoDbOperatorStore({ client, tables, clock, onConsumed });
  const dueAt = new Date(Date.now() - 60_000).toISOString();
  const put = (i: number) =>
    store.records.insert({
      id: `order-${String(i).padStart(12, '0')}`,
      payload: 'x'.repeat(500),
      queue: 'orders',
      status: 'ERROR',
      lane: 'orders',
      insertedAt: dueAt,
      dueAt,
      attempts: 1,
      rev: 'r',
    });
  for (let from = 0; from < RECORDS; from += 50)
    await Promise.all(Array.from({ length: 50 }, (_, i) => put(from + i)));
});
afterAll(async () => {
  await deleteTables(client, tables);
  client.destroy();
});

/** The cost of a reading, as docs/metrics.md has it. */
describe('a reading of the monitor', () => {
  const perRecord: MonitoredQueue = { name: 'orders', shards: 1, bands: [] };
  const progressive: MonitoredQueue = { ...perRecord, bands: tierBands(DEFAULT_TIERS, 300) };
  const unitsOf = async (read: () => Promise<unknown>) => {
    readUnits = 0;
    await read();
    return readUnits;
  };
  const deps = () => ({ store, now: Date.now() });

  // An answer that holds nothing costs nothing here, and half a unit on AWS.
  it('of the oldest due record is half a read unit', async () => {
    expect(await unitsOf(() => oldestDueAge(perRecord, deps()))).toBe(0.5);
  });

  it('of a progressive queue is one unit for a tier that has records, and one for each of six of them', async () => {
    expect(await unitsOf(() => oldestDueAge(progressive, deps()))).toBe(1 + 6);
  });

  it('counts about a hundred records per unit', async () => {
    const units = await unitsOf(() => new RateLimitedCounter(clock).count(perRecord, deps(), () => true));
    expect(RECORDS / units).toBeGreaterThan(80);
    expect(RECORDS / units).toBeLessThan(160);
  });

  it('says how many are in retry for half a unit per record', async () => {
    const now = Date.now();
    const counts = {
      pending: RECORDS,
      dead: 0,
      oldestDueAt: undefined,
      due: { now: RECORDS, minute: 0, hour: 0, day: 0 },
    };
    let estimate = 0;
    const units = await unitsOf(async () => {
      estimate = await inRetry(['orders'], counts, { store, now });
    });
    expect(estimate).toBe(RECORDS);
    expect(units).toBe(2 * 0.5 + 10 * 0.5);
  });

  it('of the state of a queue is one unit', async () => {
    expect(await unitsOf(() => store.queues.read('orders'))).toBe(1);
  });
});
