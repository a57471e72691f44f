import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import Table from 'cli-table3';
import { startEmbeddedDynamoDb } from '../src/local/embedded-dynamodb.js';
import { createDynamoDbClient } from '../src/store/index.js';
import { createTables } from '../test/store/tables.js';
import { bundles } from './bundles.js';
import { bareUpdates, type Drain, protocol } from './drain.js';
import { policyCalls } from './policy-calls.js';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 2000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);

/**
 * Ratios, measured side by side in one process on the embedded DynamoDB, and counts. Seconds mean little here: the
 * database runs in the same process. Write units are asserted on DynamoDB Local (npm run test:dynamodb-local).
 */
async function main(): Promise<void> {
  const dynamoDb = await startEmbeddedDynamoDb({ port: 0 });
  const client = createDynamoDbClient({ endpoint: dynamoDb.endpoint });
  const best = new Map<string, Drain>();
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const bench = {
        client,
        documents: DynamoDBDocumentClient.from(client),
        tables: await createTables(client),
      };
      for (const drain of [
        await bareUpdates(bench, RECORDS),
        await protocol(bench, RECORDS, 5),
        await protocol(bench, RECORDS, 30),
      ]) {
        const known = best.get(drain.design);
        if (!known || known.recordsPerSecond < drain.recordsPerSecond) best.set(drain.design, drain);
      }
    }
  } finally {
    client.destroy();
    await dynamoDb.stop();
  }
  print([...best.values()]);
}

function print(drains: readonly Drain[]): void {
  const bare = drains[0]?.recordsPerSecond ?? 1;
  const table = new Table({
    head: ['drain', 'records/s', 'of bare UpdateItem', 'requests/record', 'read units/record'],
  });
  for (const { design, recordsPerSecond, requestsPerRecord, readUnitsPerRecord } of drains) {
    table.push([
      design,
      Math.round(recordsPerSecond),
      (recordsPerSecond / bare).toFixed(2),
      requestsPerRecord.toFixed(3),
      readUnitsPerRecord.toFixed(3),
    ]);
  }
  process.stdout.write(`${RECORDS} records, the best of ${ROUNDS} rounds\n${table.toString()}\n`);
}

await main();
process.stdout.write(`\n${policyCalls()}\n\n${await bundles()}\n`);
