import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { counted } from '../bench/compare/round.js';
import { DESIGNS } from '../bench/designs/index.js';
import { bareUpdates, countsOf, protocol } from '../bench/drain.js';
import { settleCounts } from '../bench/settles.js';
import { createDynamoDbClient } from '../src/store/index.js';
import { startDynamoDb } from './store/start-dynamodb.js';
import { createTables } from './store/tables.js';

const RECORDS = 15;
/** Three of fifteen fail three times. */
const ATTEMPTS = RECORDS + 3 * 3;
/** A run's own requests and writes: query, lease with journal, read, release, and what is failing. Polls: four. */
const RUNS = 4 * 12;

/** Requests and write units of the table: the embedded DynamoDB reports none of an index. */
const EXPECTED: Record<string, { requests: [number, number]; writeUnits: [number, number] }> = {
  bare: { requests: [ATTEMPTS, ATTEMPTS], writeUnits: [ATTEMPTS, ATTEMPTS] },
  indexed: { requests: [4, ATTEMPTS + RUNS], writeUnits: [ATTEMPTS, ATTEMPTS + RUNS] },
  arrival: { requests: [4, ATTEMPTS + RUNS], writeUnits: [ATTEMPTS, ATTEMPTS + RUNS] },
  scan: { requests: [ATTEMPTS + 4, ATTEMPTS + 4], writeUnits: [ATTEMPTS, ATTEMPTS] },
  claims: { requests: [2 * ATTEMPTS + 4, 2 * ATTEMPTS + 4], writeUnits: [2 * ATTEMPTS, 2 * ATTEMPTS] },
  // Six per message, and a query that finds nothing whenever all messages are under attempt.
  sample: { requests: [6 * ATTEMPTS + 1, 6 * ATTEMPTS + 10], writeUnits: [4 * ATTEMPTS, 4 * ATTEMPTS] },
};

// Counts only: nothing is said of time.
it('npm run bench drains lanes that are filled: every record is read, attempted and settled', async () => {
  const dynamodb = await startDynamoDb();
  const client = createDynamoDbClient({ endpoint: dynamodb.endpoint });
  const bench = {
    client,
    documents: DynamoDBDocumentClient.from(client),
    tables: await createTables(client),
  };
  const counts = await countsOf(bench, 50, 5);
  await bareUpdates(bench, 10);
  await protocol(bench, 10, 5);
  client.destroy();
  await dynamodb.stop();
  // One write each; query, lease with journal, read, release and few more for all of them together.
  expect(counts.records).toBe(50);
  expect(counts.requests).toBeGreaterThanOrEqual(50 + 4);
  expect(counts.requests).toBeLessThanOrEqual(50 + 8);
  expect(counts.writeUnits).toBeGreaterThanOrEqual(50 + 2);
  expect(counts.writeUnits).toBeLessThanOrEqual(50 + 6);
  expect(counts.readUnits).toBeGreaterThanOrEqual(50);
  expect(counts.readUnits).toBeLessThanOrEqual(50 + 5);
});

it('npm run bench compares settles: the payload makes the request larger, and costs no write unit', async () => {
  const dynamodb = await startDynamoDb();
  const client = createDynamoDbClient({ endpoint: dynamodb.endpoint });
  const at = { endpoint: dynamodb.endpoint, tables: await createTables(client) };
  const payloadBytes = 30_000;
  const compared = await settleCounts({ ...at, comparesPayload: true }, payloadBytes / 1000);
  const without = await settleCounts({ ...at, comparesPayload: false }, payloadBytes / 1000);
  client.destroy();
  await dynamodb.stop();
  expect(compared).toMatchObject({ requests: 1, writeUnits: without.writeUnits });
  expect(without.requests).toBe(1);
  expect(without.bytes).toBeLessThan(1500);
  // A value and its type, such as {"S":"AB-1234567890"}.
  expect(compared.bytes - without.bytes).toBeGreaterThan(payloadBytes);
  expect(compared.bytes - without.bytes).toBeLessThan(1.5 * payloadBytes);
});

// A round fails unless each record is attempted as often as it should be.
it.each(DESIGNS)('npm run bench works off records that fail and succeed by $name', async (design) => {
  const workload = { records: RECORDS, kilobytes: 1, fails: true };
  const dynamodb = await startDynamoDb();
  const { work, idle } = await counted(design, workload, dynamodb.endpoint);
  await dynamodb.stop();
  const { requests, writeUnits } = EXPECTED[design.key] ?? {};
  expect(work.requests).toBeGreaterThanOrEqual(requests?.[0] ?? Number.NaN);
  expect(work.requests).toBeLessThanOrEqual(requests?.[1] ?? Number.NaN);
  expect(work.writeUnits).toBeGreaterThanOrEqual(writeUnits?.[0] ?? Number.NaN);
  expect(work.writeUnits).toBeLessThanOrEqual(writeUnits?.[1] ?? Number.NaN);
  expect(idle.writeUnits).toBe(0);
});
