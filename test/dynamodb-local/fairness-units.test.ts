import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { loadLimits, resolvePolicy, run, systemClock } from '../../src/engine.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import type { Arrivals, Process } from '../../src/worker/index.js';
import type { LimitOptions } from '../../src/worker/queue-options.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';
import { meteredStore, SILENT } from './metered-store.js';

const COUNT = 40;
const client = createDynamoDbClient({ endpoint: dynamoDbLocalEndpoint() });
let meter: Awaited<ReturnType<typeof meteredStore>>;
let { store, tables, writes } = {} as typeof meter;
let requests: string[] = [];

client.middlewareStack.add(
  (next, context) => (args) => {
    requests.push(String(context.commandName));
    return next(args);
  },
  { step: 'initialize', name: 'countRequests' },
);

beforeAll(async () => {
  await loadLimits();
  meter = await meteredStore(client);
  ({ store, tables, writes } = meter);
});

beforeEach(() => {
  meter.reset();
  requests = [];
});

afterAll(() => meter.stop());

type PerKey = Pick<LimitOptions, 'concurrencyPerKey' | 'attemptsPerSecondPerKey'>;

function runOf(
  queue: string,
  fairness: boolean,
  arrivals?: Arrivals,
  { process = () => {}, ...perKey }: { process?: Process } & PerKey = {},
) {
  return run(
    {
      target: { queue, lane: queue, fairness, arrivals },
      process,
      policy: resolvePolicy({ type: 'fibonacci' }),
      limits: { concurrency: 10, attemptTimeout: 30, onInsertConcurrency: 1, ...perKey },
      deadline: Date.now() + 300_000,
      functionTimeoutSeconds: 300,
      tickSeconds: 60,
    },
    { store, clock: systemClock, random: Math.random, logger: SILENT },
  );
}

/** Records of one key that have just come. */
async function arriving(queue: string, name: string, count = COUNT): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, i) => `${queue}-${name}-${i}`);
  for (const id of ids) await store.records.insert({ id, status: 'NEW', queue, payload: {}, key: 'tenant' });
  return ids;
}

/** The units of records on arrival that find no room: of the records' table, and of the control table. */
async function overflowOf(queue: string, fairness: boolean) {
  // The item of the queue's claims is there, and one claim is held.
  await runOf(queue, fairness, { batch: 'first', ids: await arriving(queue, 'first', 1) });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const others = await arriving(queue, 'other', 1);
  let other: Promise<unknown> = Promise.resolve();
  await new Promise<void>((began) => {
    other = runOf(
      queue,
      fairness,
      { batch: 'other', ids: others },
      {
        process: () => {
          began();
          return held;
        },
      },
    );
  });
  const ids = await arriving(queue, 'pile');
  meter.reset();
  const summary = await runOf(queue, fairness, { batch: 'pile', ids, ...(fairness && { light: 0 }) });
  const units = { records: writes(tables.records), control: writes(tables.control) };
  release();
  await other;
  expect(summary).toMatchObject({ ended: 'concurrencyLimited', succeeded: COUNT });
  return units;
}

it('a record of a busy key costs what any record does, and its key a note and a lease', async () => {
  const fair = await overflowOf('fair', true);
  const unfair = await overflowOf('unfair', false);
  expect(fair.records).toBe(unfair.records);
  const more = fair.control - unfair.control;
  // One for the note. The lease of the run that drains the lanes of busy keys is taken and given back.
  expect(more).toBe(3);
  expect((await store.queues.read('fair')).busyKeys).toMatch(/^v:/);
});

it('an idle poll reads the queue’s item, and a query for each lane; it writes nothing', async () => {
  await runOf('fair', true);
  expect(requests.toSorted()).toEqual(['GetItemCommand', 'QueryCommand', 'QueryCommand']);
  expect(writes(tables.records) + writes(tables.control)).toBe(0);
});

/** The units of a batch on arrival of ten records of five keys. */
async function batchOf(queue: string, batch: string, perKey: PerKey) {
  const ids = Array.from({ length: 10 }, (_, i) => `${queue}-${batch}-${i}`);
  for (const [i, id] of ids.entries()) {
    await store.records.insert({ id, status: 'NEW', queue, payload: {}, key: `tenant-${i % 5}` });
  }
  meter.reset();
  const summary = await runOf(queue, true, { batch, ids }, perKey);
  expect(summary).toMatchObject({ ended: 'drained', succeeded: 10 });
  return { records: writes(tables.records), control: writes(tables.control) };
}

it('a limit for each key costs two units for a batch, and none for its records', async () => {
  // The items of the queue are there.
  await batchOf('limited', 'first', { concurrencyPerKey: 1 });
  const without = await batchOf('limited', 'without', {});
  const limited = await batchOf('limited', 'limited', { concurrencyPerKey: 1 });
  expect(limited).toEqual({ records: without.records, control: without.control + 2 });
});

it('a rate for each key costs one unit for each key of a batch, or two while it has permits to come', async () => {
  const updates = () => requests.filter((name) => name === 'UpdateItemCommand').length;
  await batchOf('even', 'first', {});
  const without = await batchOf('even', 'without', {});
  const atOnce = await batchOf('even', 'at-once', { attemptsPerSecondPerKey: 5 });
  expect(atOnce).toEqual({ records: without.records, control: without.control + 5 });
  await batchOf('even', 'slow', { attemptsPerSecondPerKey: 0.55 });
  requests = [];
  await batchOf('even', 'behind', { attemptsPerSecondPerKey: 5 });
  const behind = updates();
  requests = [];
  await batchOf('even', 'without-again', {});
  // A write whose condition fails costs a unit, which its error does not report.
  expect(behind - updates()).toBe(10);
});
