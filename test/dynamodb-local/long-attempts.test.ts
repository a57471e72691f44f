import '../loaded-limits.js';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { resolvePolicy, run } from '../../src/engine.js';
import { BacklogClient, BacklogOperator } from '../../src/index.js';
import { type Consumed, createDynamoDbClient, DynamoDbStore } from '../../src/store/index.js';
import { VirtualTime } from '../../src/support/virtual-time.js';
import type { Process } from '../../src/worker/index.js';
import { longAttempts } from '../../src/worker/long-attempts.js';
import { seededRandom } from '../simulation/random.js';
import { quietOf } from '../store/quiet.js';
import { createTables, deleteTables, type TestTables } from '../store/tables.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

const START = Date.parse('2026-11-20T12:00:00.000Z');
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const client = createDynamoDbClient({ endpoint: dynamoDbLocalEndpoint() });
const time = new VirtualTime(START, quietOf(client));
const clock = time.clock();
const random = seededRandom(1);
let tables: TestTables;
let store: DynamoDbStore;
let requests: string[] = [];
let written: number[] = [];

client.middlewareStack.add(
  (next, context) => (args) => {
    const { TableName: table } = args.input as { TableName?: string };
    if (table === tables?.records) requests.push(String(context.commandName));
    return next(args);
  },
  { step: 'initialize', name: 'namesRequests' },
);

beforeAll(async () => {
  tables = await createTables(client);
  const onConsumed = ({ kind, table, units }: Consumed) => {
    if (kind === 'write' && table === tables.records) written.push(units);
  };
  store = new DynamoDbStore({ client, tables, clock, random, onConsumed });
});

beforeEach(() => {
  [requests, written] = [[], []];
});

afterAll(async () => {
  await deleteTables(client, tables);
  client.destroy();
});

/** Starts a run of the queue, whose attempt goes on without it after half a minute. */
async function start(id: string, process: Process): Promise<void> {
  const at = new Date(time.now).toISOString();
  const item = { id, status: 'NEW', queue: id, payload: 1, insertedAt: at, lane: id, dueAt: at, rev: 'r' };
  await store.records.insert(item);
  [requests, written] = [[], []];
  const policy = resolvePolicy({ type: 'fibonacci' });
  const options = {
    ...{
      target: { queue: id, lane: id },
      process,
      policy,
      limits: { attemptTimeout: 3_600, concurrency: 1 },
    },
    ...{ deadline: clock.wall() + 300_000, functionTimeoutSeconds: 300, tickSeconds: 5 },
  };
  const deps = { store, clock, random, logger: SILENT, longAttempts: longAttempts(() => {}) };
  await time.until(run(options, deps));
}

const untilAborted: Process = (_, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

it('a long attempt that is not cancelled costs a write for each renewal, and nothing is read for it', async () => {
  await start('plain', () => clock.sleep(100_000));
  await time.runUntil(time.now + 100_000);
  expect(written).toEqual([3, 3, 3, 2]);
  const writes = Array.from({ length: 4 }, () => 'UpdateItemCommand');
  expect(requests.filter((name) => name !== 'QueryCommand')).toEqual(writes);
});

it('a cancellation costs one read and one write; the renewal that finds it is read for once, and made again', async () => {
  await start('cancelled', untilAborted);
  const producer = new BacklogClient({ table: tables.records, client, clock, random });
  [requests, written] = [[], []];
  expect(await producer.cancel('cancelled', { reason: 'withdrawn' })).toEqual({
    id: 'cancelled',
    cancelled: false,
    reason: 'cancelRequested',
  });
  expect(requests).toEqual(['GetItemCommand', 'UpdateItemCommand']);
  [requests, written] = [[], []];
  await time.runUntil(time.now + 30_000);
  const [read, update] = ['GetItemCommand', 'UpdateItemCommand'];
  expect(requests).toEqual([update, read, read, update, update]);
  // The hold with the mark, and the end among the dead.
  expect(written).toEqual([3, 3]);
  const record = await store.records.get('cancelled');
  expect(record).toMatchObject({ status: 'DEAD', deadReason: 'cancelled: withdrawn', attempts: 1 });
  expect(record?.notBefore).toBeUndefined();
});

it('a success wins over a request that its process has not found', async () => {
  await start('won', () => clock.sleep(50_000));
  await time.runUntil(time.now + 10_000);
  const given = { table: tables.records, controlTable: tables.control, client, clock, random };
  const result = await new BacklogOperator(given).discard('won', { reason: 'withdrawn' });
  expect(result).toMatchObject({ changed: 0, skipped: { cancelRequested: 1 }, writeUnits: 1 });
  await time.runUntil(time.now + 20_000);
  const record = await store.records.get('won');
  expect(record).toMatchObject({ status: 'SUCCESS', attempts: 1 });
  expect(record?.notBefore).toBeUndefined();
});
