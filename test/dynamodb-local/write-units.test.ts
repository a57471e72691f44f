import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, resolvePolicy, run, systemClock, type TierBand } from '../../src/engine.js';
import { BacklogClient, Cancel, Snooze } from '../../src/index.js';
import { type Consumed, createDynamoDbClient, DynamoDbStore } from '../../src/store/index.js';
import type { Arrivals, Process } from '../../src/worker/index.js';
import { CLAIM_UNITS, WRITES } from '../../tools/src/cost/units.js';
import { createTables, deleteTables, type TestTables } from '../store/tables.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

const PAGE = 100;
const START = Date.parse('2026-11-20T12:00:00.000Z');
const BAND: TierBand = {
  number: 1,
  every: 300,
  fromAge: 0,
  untilAge: 86_400,
  last: false,
};

const endpoint = dynamoDbLocalEndpoint();
const client = createDynamoDbClient({ endpoint });
let tables: TestTables;
let store: DynamoDbStore;
let backlog: BacklogClient;
let consumed: Consumed[] = [];
let requests: string[] = [];
let now = START;
const clock: Clock = { ...systemClock, now: () => now };

client.middlewareStack.add(
  (next, context) => (args) => {
    requests.push(String(context.commandName));
    return next(args);
  },
  { step: 'initialize', name: 'countRequests' },
);

beforeAll(async () => {
  tables = await createTables(client);
  // DynamoDB Local reports no units of a group. On AWS each of its changes costs what it costs alone.
  const onConsumed = (one: Consumed) => consumed.push(one);
  store = new DynamoDbStore({ client, tables, clock, groupWrites: false, onConsumed });
  backlog = new BacklogClient({ table: tables.records, client, clock, indexAtOnce: true });
});

afterAll(async () => {
  await deleteTables(client, tables);
  client.destroy();
});

beforeEach(() => {
  now = START;
});

/** The writes of one run, by table, and its requests. */
async function measure(
  queue: string,
  process: Process,
  band?: TierBand,
  arrivals?: Arrivals,
  retryQueue?: string,
) {
  consumed = [];
  requests = [];
  const summary = await run(
    {
      target: { queue, lane: queue, band, arrivals },
      process,
      policy: resolvePolicy({ type: band ? 'progressive' : 'fibonacci' }),
      retryQueue,
      limits: { concurrency: 10, attemptTimeout: 30 },
      deadline: Date.now() + 300_000,
      functionTimeoutSeconds: 300,
      tickSeconds: 60,
      retention: 86_400,
    },
    { store, clock, random: Math.random, logger: { debug() {}, info() {}, warn() {}, error() {} } },
  );
  const units = (kind: Consumed['kind'], table: string) =>
    consumed
      .filter((one) => one.kind === kind && one.table === table)
      .reduce((total, one) => total + one.units, 0);
  return {
    summary,
    records: units('write', tables.records),
    control: units('write', tables.control),
    reads: units('read', tables.records) + units('read', tables.control),
    requests,
  };
}

/** Orders as a shop might have them, far below 1 KB. */
async function insert(queue: string, count: number): Promise<void> {
  const records = Array.from({ length: count }, () => ({
    id: randomUUID(),
    queue,
    payload: { order: 4711, items: [{ sku: 'A-1', count: 2 }], note: 'leave it at the door' },
  }));
  const { inserted } = await backlog.insertMany(records);
  expect(inserted).toBe(count);
}

const succeed: Process = () => {};
const fail: Process = () => {
  throw new Error('the ERP is down');
};

/** The units that `backlog cost` counts for a step, of an item up to 1 KB. */
const billed = ({ table, index }: { readonly table: number; readonly index: number }) => table + index;

describe('write units of a record up to 1 KB, indexed at insertion', () => {
  it('are 2 for its insertion: the item and its index entry', async () => {
    consumed = [];
    await store.records.insert({
      id: randomUUID(),
      status: 'NEW',
      payload: { n: 1 },
      queue: 'insertion',
      lane: 'insertion',
      dueAt: new Date(START).toISOString(),
      rev: 'abcdefgh',
    });
    expect(consumed).toEqual([{ operation: 'PutItem', table: tables.records, kind: 'write', units: 2 }]);
  });

  it('are 2 for its success at the first try, and below 0.1 for lease and journal on a full page', async () => {
    await insert('success', PAGE);
    const { summary, records, control, reads } = await measure('success', succeed);
    expect(summary).toMatchObject({ attempted: PAGE, succeeded: PAGE, ended: 'drained' });
    expect(records).toBe(billed(WRITES.laterSuccess) * PAGE);
    expect(records).toBe(2 * PAGE);
    expect(control).toBeGreaterThan(0);
    expect(control / PAGE).toBeLessThan(0.1);
    expect(reads / PAGE).toBeLessThan(1.1);
  });

  it('stay below 0.1 for lease and journal over several pages', async () => {
    await insert('pages', 3 * PAGE);
    const { summary, records, control } = await measure('pages', succeed);
    expect(summary).toMatchObject({ succeeded: 3 * PAGE });
    expect(records).toBe(2 * 3 * PAGE);
    expect(control / (3 * PAGE)).toBeLessThan(0.1);
  });

  it('are 3 for a failure by Fibonacci: the item and the move of its index entry', async () => {
    await insert('fibonacci', PAGE);
    const first = await measure('fibonacci', fail);
    expect(first.summary).toMatchObject({ attempted: PAGE, failed: PAGE });
    expect(first.records).toBe(3 * PAGE);
    expect(billed(WRITES.laterFailure)).toBe(3);
    now += 10 * 60_000;
    expect((await measure('fibonacci', fail)).records).toBe(3 * PAGE);
  });

  it('are 1 for a failure on the progressive schedule, whose index entry stays', async () => {
    await insert('progressive', PAGE);
    for (let turn = 0; turn < 3; turn++) {
      const { summary, records } = await measure('progressive', fail, BAND);
      expect(summary).toMatchObject({ attempted: PAGE, failed: PAGE });
      expect(records).toBe(PAGE * billed(WRITES.laterFailureProgressive));
      now += BAND.every * 1000;
    }
  });
});

describe('write units of decisions, each by the one write of its attempt', () => {
  it('are 3 for a failure that moves into another queue, whatever its own retry mode', async () => {
    for (const [queue, band] of [
      ['moving', undefined],
      ['moving-by-age', BAND],
    ] as const) {
      await insert(queue, 10);
      const { summary, records } = await measure(queue, fail, band, undefined, 'retries');
      expect(summary).toMatchObject({ attempted: 10, failed: 10 });
      expect(records).toBe(30);
    }
    now += 10 * 60_000;
    expect((await measure('retries', succeed)).records).toBe(40);
  });

  it('are 3 for a snooze, and 1 on the progressive schedule', async () => {
    const snooze: Process = () => new Snooze(60, 'closed');
    for (const [queue, band, units] of [
      ['snoozed', undefined, 3],
      ['snoozed-by-age', BAND, 1],
    ] as const) {
      await insert(queue, 10);
      const { summary, records } = await measure(queue, snooze, band);
      expect(summary).toMatchObject({ attempted: 10, snoozed: 10 });
      expect(records).toBe(10 * units);
    }
  });

  it('are 3 for a cancellation, and 2 for a success that ends a history', async () => {
    await insert('cancelled', 10);
    expect((await measure('cancelled', () => new Cancel('withdrawn'))).records).toBe(30);
    await insert('in-the-end', 10);
    await measure('in-the-end', fail);
    now += 10 * 60_000;
    expect((await measure('in-the-end', succeed)).records).toBe(20);
  });
});

describe('write units of a record up to 1 KB, attempted on insertion', () => {
  const arriving = async (queue: string, count: number): Promise<Arrivals> => {
    const ids = Array.from({ length: count }, () => randomUUID());
    consumed = [];
    for (const id of ids) {
      const item = { id, status: 'NEW', queue, payload: { order: 4711 }, rev: 'abcdefgh' };
      await store.records.insert(item);
    }
    expect(consumed.reduce((sum, { units }) => sum + units, 0)).toBe(count * billed(WRITES.insert));
    return { batch: `${queue}/${count}`, ids };
  };

  it('are 2 in all for a success, and as many for the claim on up to a hundred of them', async () => {
    const arrivals = await arriving('arrive-success', PAGE);
    // The first claim of a queue makes its item: two writes more, once.
    await measure('arrive-success', succeed, undefined, await arriving('arrive-success', 1));
    const { summary, records, control, reads } = await measure(
      'arrive-success',
      succeed,
      undefined,
      arrivals,
    );
    expect(summary).toMatchObject({ attempted: PAGE, succeeded: PAGE, ended: 'drained' });
    expect(records).toBe(PAGE * billed(WRITES.successOnArrival));
    expect(control).toBe(CLAIM_UNITS);
    expect(reads / PAGE).toBeLessThan(1.1);
  });

  it('are 2 for a failure, which puts it into the index', async () => {
    const arrivals = await arriving('arrive-failure', 10);
    const { summary, records } = await measure('arrive-failure', fail, undefined, arrivals);
    expect(summary).toMatchObject({ failed: 10 });
    expect(records).toBe(20);
    expect(billed(WRITES.failureOnArrival)).toBe(2);
    now += 10 * 60_000;
    expect((await measure('arrive-failure', fail)).records).toBe(30);
  });
});

describe('an idle poll', () => {
  it.each([
    ['idle-retry', undefined],
    ['idle-progressive', BAND],
  ])('is exactly one query and writes nothing, whatever history there is (%s)', async (queue, band) => {
    await insert(queue, PAGE);
    await measure(queue, succeed, band);
    now += 300_000;
    const idle = await measure(queue, succeed, band);
    expect(idle.summary).toMatchObject({ attempted: 0, ended: 'drained' });
    expect(idle.requests).toEqual(['QueryCommand']);
    // AWS bills 0.5; DynamoDB Local reports 0 for an empty index query.
    expect(idle.reads).toBeLessThanOrEqual(0.5);
    expect(idle.records + idle.control).toBe(0);
  });
});
