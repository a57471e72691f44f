import { afterAll, beforeAll, expect, it } from 'vitest';
import { inBatches } from '../../functions/index.js';
import { loadLimits, resolvePolicy, run, systemClock } from '../../src/engine.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import type { Process } from '../../src/worker/index.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';
import { meteredStore, SILENT } from './metered-store.js';

const client = createDynamoDbClient({ endpoint: dynamoDbLocalEndpoint() });
let meter: Awaited<ReturnType<typeof meteredStore>>;

beforeAll(async () => {
  await loadLimits();
  meter = await meteredStore(client);
});
afterAll(() => meter.stop());

/** Units of a run over 50 records, of which the seventh fails. */
async function unitsOf(queue: string, process: Process) {
  const at = new Date(Date.now() - 1_000).toISOString();
  for (let i = 0; i < 50; i++) {
    const indexed = { lane: queue, insertedAt: at, dueAt: at, rev: 'r' };
    await meter.store.records.insert({ id: `${queue}-${i}`, status: 'NEW', queue, payload: i, ...indexed });
  }
  meter.reset();
  const summary = await run(
    {
      target: { queue, lane: queue },
      process,
      policy: resolvePolicy({ type: 'fibonacci' }),
      limits: { concurrency: 50, attemptTimeout: 30 },
      deadline: Date.now() + 300_000,
      functionTimeoutSeconds: 300,
      tickSeconds: 60,
    },
    { store: meter.store, clock: systemClock, random: Math.random, logger: SILENT },
  );
  expect(summary).toMatchObject({ attempted: 50, succeeded: 49, failed: 1 });
  return { records: meter.writes(meter.tables.records), control: meter.writes(meter.tables.control) };
}

it('records in batches cost the units that they cost alone, also where one of them breaks its batch', async () => {
  const alone = await unitsOf('alone', ({ payload }) => {
    if (payload === 7) throw new Error('no');
  });
  let calls = 0;
  const batches = await unitsOf(
    'batch',
    inBatches<number>((records) => {
      calls++;
      if (records.some(({ payload }) => payload === 7)) throw new Error('no');
      return { batchItemFailures: [] };
    }),
  );
  expect(calls).toBeLessThan(20);
  expect(batches.records).toBe(alone.records);
  // The lease of the one is renewed as often as that of the other, or once more where its run takes a second longer.
  expect(Math.abs(batches.control - alone.control)).toBeLessThanOrEqual(1);
});
