import { createDynamoDbClient, DynamoDbStore } from '../../src/store/index.js';
import { clock } from '../store/dynamodb-under-test.js';
import type { TestTables } from '../store/tables.js';

/** A store on tables of a DynamoDB that is there. */
export function storeAt(endpoint: string, tables: TestTables): DynamoDbStore {
  return new DynamoDbStore({ client: createDynamoDbClient({ endpoint }), tables, clock });
}
