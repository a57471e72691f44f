import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { bareUpdates, countsOf, protocol } from '../bench/drain.js';
import { settleCounts } from '../bench/settles.js';
import { createDynamoDbClient } from '../src/store/index.js';
import { startDynamoDb } from './store/start-dynamodb.js';
import { createTables } from './store/tables.js';

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
