import '../loaded-limits.js';
import type { Logger } from '@aws-lambda-powertools/logger';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recurringHandler } from '../../functions/recurring/recurring-handler.js';
import { RecurringRecords } from '../../src/recurring/index.js';
import { type Consumed, createDynamoDbClient, DynamoDbOperatorStore } from '../../src/store/index.js';
import { systemClock } from '../../src/support/clock.js';
import { createTables, deleteTables, type TestTables } from '../store/tables.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

const START = Date.parse('2026-11-20T12:00:30.000Z');
const SILENT = { debug() {}, info() {}, warn() {}, error() {} } as unknown as Logger;
const QUEUES = { recurring: { retryMode: 'perRecord', concurrency: 50 } };
const REPORT = { schedule: 'rate(10 minutes)', queue: 'reports', payload: { kind: 'daily' } };
const EVENT = { queue: 'recurring' };
const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 300_000 };

const client = createDynamoDbClient({ endpoint: dynamoDbLocalEndpoint() });
let now = START;
const clock = { ...systemClock, now: () => now, wall: () => now };
let tables: TestTables;
let store: DynamoDbOperatorStore;
let recurring: RecurringRecords;
let units: string[] = [];

beforeAll(async () => {
  tables = await createTables(client);
  const onConsumed = ({ kind, table, units: used }: Consumed) => {
    if (table === tables.records) units.push(`${kind} ${used}`);
  };
  store = new DynamoDbOperatorStore({ client, tables, clock, random: Math.random, onConsumed });
  recurring = new RecurringRecords({ table: tables.records, store, clock });
});

beforeEach(() => {
  units = [];
});

afterAll(async () => {
  await deleteTables(client, tables);
  client.destroy();
});

function handlerOf(template: object = {}) {
  return recurringHandler({
    store,
    clock,
    logger: SILENT,
    emit: () => {},
    env: {
      BACKLOG_TABLE: tables.records,
      BACKLOG_CONTROL_TABLE: tables.control,
      BACKLOG_FUNCTION_TIMEOUT_SECONDS: '300',
      BACKLOG_QUEUES: JSON.stringify(QUEUES),
      BACKLOG_RECURRING: JSON.stringify(template),
    },
  });
}

const pass = (minutes: number) => {
  now += minutes * 60_000;
};
const writes = () => units.filter((one) => one.startsWith('write'));

describe('on DynamoDB Local, a recurring record', () => {
  it('costs one write unit for each occurrence, and three for its schedule', async () => {
    await recurring.put('report', REPORT);
    // The item, and its key in the index.
    expect(units).toEqual(['read 1', 'write 2']);
    const handler = handlerOf();
    pass(10);
    units = [];
    expect(await handler(EVENT, context)).toMatchObject({ succeeded: 1 });
    expect(writes()).toEqual(['write 1', 'write 3']);
    expect(await store.records.get('report@2026-11-20T12:10Z')).toMatchObject({
      status: 'NEW',
      queue: 'reports',
      payload: { kind: 'daily' },
      attributes: { recurring: 'report', occurrence: '2026-11-20T12:10:00.000Z' },
    });
    units = [];
    expect(await handler(EVENT, context)).toMatchObject({ attempted: 0 });
    expect(writes()).toEqual([]);
  });

  it('is put, paused, resumed, listed and removed', async () => {
    expect(await recurring.put('report', { ...REPORT, missed: 'all' })).toMatchObject({ was: 'changed' });
    expect(await recurring.put('report', { ...REPORT, missed: 'all' })).toMatchObject({ was: 'unchanged' });
    await recurring.pause('report', { reason: 'moving', until: '25m' });
    pass(40);
    expect(await handlerOf()(EVENT, context)).toMatchObject({ succeeded: 1 });
    const made = await store.records.getMany(
      ['20', '30', '40', '50'].map((at) => `report@2026-11-20T12:${at}Z`),
    );
    expect(made.map(({ id }) => id).sort()).toEqual(['report@2026-11-20T12:40Z', 'report@2026-11-20T12:50Z']);
    await recurring.put('other', { ...REPORT, payload: { nested: [1.5, null, 'é', { a: [] }], empty: {} } });
    const names = [];
    for await (const { name, state, definition } of recurring.list())
      names.push([name, state, definition?.payload]);
    expect(names.sort()).toEqual([
      ['other', 'waiting', { nested: [1.5, null, 'é', { a: [] }], empty: {} }],
      ['report', 'waiting', { kind: 'daily' }],
    ]);
    expect(
      await recurring.put('other', {
        ...REPORT,
        payload: { empty: {}, nested: [1.5, null, 'é', { a: [] }] },
      }),
    ).toMatchObject({ was: 'unchanged' });
    expect(await recurring.remove('other')).toBe(true);
    expect(await recurring.get('other')).toBeUndefined();
  });

  it('of each of 300 tenants has its record, though the function is started twice', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `tenant-${i}`);
    const at = new Date(Math.ceil(now / 3_600_000) * 3_600_000);
    for (let i = 0; i < names.length; i += 100)
      await Promise.all(
        names
          .slice(i, i + 100)
          .map((name) => recurring.put(name, { ...REPORT, schedule: 'cron(0 * * * ? *)' })),
      );
    now = at.getTime() + 30_000;
    await Promise.all([handlerOf()(EVENT, context), handlerOf()(EVENT, context)]);
    await handlerOf()(EVENT, context);
    const ids = names.map((name) => `${name}@${at.toISOString().slice(0, 16)}Z`);
    expect(await store.records.getMany(ids)).toHaveLength(300);
    for (const name of names.slice(0, 20))
      expect(await recurring.get(name)).toMatchObject({
        next: new Date(at.getTime() + 3_600_000).toISOString(),
      });
  });

  it('of the template is written once', async () => {
    const handler = handlerOf({
      nightly: { ...REPORT, schedule: 'cron(0 3 * * ? *)', timeZone: 'Europe/Berlin' },
    });
    for (let i = 0; i < 2; i++) await handler(EVENT, context);
    expect(await recurring.get('nightly')).toMatchObject({
      origin: 'template',
      state: 'waiting',
      next: '2026-11-21T02:00:00.000Z',
    });
    await expect(recurring.remove('nightly')).rejects.toThrow('got one of the CDK app');
  });
});
