import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
} from '@aws-sdk/lib-dynamodb';
import { DynamoDbNumberedInserts } from '../../src/store/dynamodb/numbered-inserts.js';
import { DynamoDbOperatorSharedItems } from '../../src/store/dynamodb/operator-shared-items.js';
import { tablesOf } from '../../src/store/dynamodb/store.js';
import { createDynamoDbClient, DynamoDbOperatorStore, type OnConsumed } from '../../src/store/index.js';
import type { StoreUnderTest } from './conformance.js';
import { NOW } from './records.js';
import { createTables, deleteTables, type TestTables } from './tables.js';

export const clock = { now: () => NOW, wall: () => NOW, sleep: async () => {} };

export interface DynamoDbUnderTest extends StoreUnderTest {
  readonly client: DynamoDBClient;
  readonly tables: TestTables;
}

/** A store on fresh tables, and hands in its table that do not use the store's own code. */
export async function dynamoDbUnderTest(
  endpoint: string,
  onConsumed?: OnConsumed,
): Promise<DynamoDbUnderTest> {
  const client = createDynamoDbClient({ endpoint });
  const tables = await createTables(client);
  const documents = DynamoDBDocumentClient.from(client);
  const TableName = tables.records;
  const { records, control } = tablesOf({ client, tables, clock, onConsumed });
  return {
    client,
    tables,
    store: new DynamoDbOperatorStore({ client, tables, clock, onConsumed }),
    groups: new DynamoDbOperatorSharedItems(control),
    numbered: new DynamoDbNumberedInserts({ client, records, control, clock, random: Math.random }),
    async put(...items) {
      for (let i = 0; i < items.length; i += 25) {
        const requests = items.slice(i, i + 25).map((item) => ({ PutRequest: { Item: { ...item } } }));
        await documents.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
      }
    },
    async delete(id) {
      await documents.send(new DeleteCommand({ TableName, Key: { id } }));
    },
    async putControl(key, attributes) {
      await documents.send(new PutCommand({ TableName: tables.control, Item: { ...attributes, key } }));
    },
    async raw(id) {
      return (await documents.send(new GetCommand({ TableName, Key: { id }, ConsistentRead: true }))).Item;
    },
    async close() {
      await deleteTables(client, tables);
      client.destroy();
    },
  };
}
