import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { loadLimits, resolvePolicy, run, systemClock } from '../../src/engine.js';
import { BacklogClient, Pending } from '../../src/index.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import type { Process } from '../../src/worker/index.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';
import { meteredStore, SILENT } from './metered-store.js';

const client = createDynamoDbClient({ endpoint: dynamoDbLocalEndpoint() });
let meter: Awaited<ReturnType<typeof meteredStore>>;
let backlog: BacklogClient;

beforeAll(async () => {
  await loadLimits();
  meter = await meteredStore(client);
  backlog = new BacklogClient({ table: 'any', store: meter.store });
});

beforeEach(() => void meter.reset());
afterAll(() => meter.stop());

/** Units of one attempt of a record, and its token. */
async function attempt(id: string, process: Process) {
  const at = new Date(Date.now() - 1_000).toISOString();
  const indexed = { lane: id, insertedAt: at, dueAt: at, rev: 'r' };
  await meter.store.records.insert({ id, status: 'NEW', queue: id, payload: 1, ...indexed });
  let token = '';
  const units = await unitsOf(() =>
    runOf(id, (record, context) => {
      token = context.token;
      return process(record, context);
    }),
  );
  return { token, units };
}

function runOf(queue: string, process: Process) {
  return run(
    {
      target: { queue, lane: queue },
      process,
      policy: resolvePolicy({ type: 'fibonacci' }),
      limits: { concurrency: 10, attemptTimeout: 30 },
      deadline: Date.now() + 300_000,
      functionTimeoutSeconds: 300,
      tickSeconds: 60,
    },
    { store: meter.store, clock: systemClock, random: Math.random, logger: SILENT },
  );
}

async function unitsOf(act: () => Promise<unknown>) {
  meter.reset();
  await act();
  const writes = meter.writes(meter.tables.records);
  return { writes, all: meter.units() };
}

const wait: Process = () => {
  throw new Pending({ timeout: '1h' });
};

it('an attempt that ends as Pending costs what one that fails does', async () => {
  const failed = await attempt('fails', () => {
    throw new Error('no');
  });
  const pending = await attempt('waits', wait);
  expect(pending.units).toEqual(failed.units);
  expect(pending.units.writes).toBe(3);
});

it('complete costs two write units and a read, fail and heartbeat three and a read', async () => {
  const { token } = await attempt('ends', wait);
  expect(await unitsOf(() => backlog.heartbeat('ends', token, { timeout: '2d' }))).toEqual({
    writes: 3,
    all: 4,
  });
  expect(await unitsOf(() => backlog.complete('ends', token))).toEqual({ writes: 2, all: 3 });
  const other = await attempt('fails-outside', wait);
  expect(await unitsOf(() => backlog.fail('fails-outside', other.token, 'no'))).toEqual({
    writes: 3,
    all: 4,
  });
});

it('an early end costs a write and a read, and its run two units more to find and read it', async () => {
  const usual = await attempt('usual', () => {});
  let own: unknown;
  const early = await attempt('early', async ({ id }, { token }) => {
    const before = meter.units();
    await backlog.complete(id, token);
    own = meter.units() - before;
    throw new Pending();
  });
  expect({ own, more: early.units.all - usual.units.all }).toEqual({ own: 2, more: 4 });
});
