import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  type DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';

export interface TestTables {
  readonly records: string;
  readonly control: string;
}

let count = 0;

export function newTableNames(): TestTables {
  const name = `test-${process.pid}-${count++}`;
  return { records: `${name}-records`, control: `${name}-control` };
}

/** Tables as the CDK construct makes them. */
export function tableDefinitions(names: TestTables): Record<keyof TestTables, CreateTableCommandInput> {
  return {
    records: {
      TableName: names.records,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'id', AttributeType: 'S' },
        { AttributeName: 'lane', AttributeType: 'S' },
        { AttributeName: 'dueAt', AttributeType: 'S' },
      ],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'due',
          KeySchema: [
            { AttributeName: 'lane', KeyType: 'HASH' },
            { AttributeName: 'dueAt', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    },
    control: {
      TableName: names.control,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
    },
  };
}

export async function createTables(client: DynamoDBClient): Promise<TestTables> {
  const names = newTableNames();
  const { records, control } = tableDefinitions(names);
  await client.send(new CreateTableCommand(records));
  await client.send(new CreateTableCommand(control));
  // An embedded DynamoDB makes them a moment later, too.
  const patience = { client, maxWaitTime: 30, minDelay: 0.01, maxDelay: 0.1 };
  for (const TableName of Object.values(names)) await waitUntilTableExists(patience, { TableName });
  return names;
}

export async function deleteTables(client: DynamoDBClient, tables: TestTables): Promise<void> {
  await client.send(new DeleteTableCommand({ TableName: tables.records }));
  await client.send(new DeleteTableCommand({ TableName: tables.control }));
}
