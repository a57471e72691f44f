import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { systemClock } from '../../src/engine.js';
import { DynamoDbSharedItems } from '../../src/store/dynamodb/shared-items.js';
import { tablesOf } from '../../src/store/dynamodb/store.js';
import { type Consumed, DynamoDbOperatorStore } from '../../src/store/index.js';
import { createTables, deleteTables } from '../store/tables.js';

export const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** A store on tables of its own, which counts the units of all requests. */
export async function meteredStore(client: DynamoDBClient) {
  const tables = await createTables(client);
  const consumed: Consumed[] = [];
  const onConsumed = (one: Consumed) => consumed.push(one);
  // DynamoDB Local reports no units of a group. On AWS each of its changes costs what it costs alone.
  const options = { client, tables, clock: systemClock, groupWrites: false, onConsumed };
  return {
    tables,
    store: new DynamoDbOperatorStore(options),
    groups: new DynamoDbSharedItems(tablesOf(options).control),
    /** Units of the writes to a table. */
    writes: (table: string) =>
      consumed
        .filter((one) => one.kind === 'write' && one.table === table)
        .reduce((sum, { units }) => sum + units, 0),
    /** Units of all requests. */
    units: () => consumed.reduce((sum, { units }) => sum + units, 0),
    /** Counts from 0 again. */
    reset: () => consumed.splice(0),
    async stop() {
      await deleteTables(client, tables);
      client.destroy();
    },
  };
}
