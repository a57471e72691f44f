import { CreateTableCommand, DeleteTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';

export interface TestTables {
  readonly records: string;
  readonly control: string;
}

let count = 0;

/** Fresh tables as the CDK construct makes them. */
export async function createTables(client: DynamoDBClient): Promise<TestTables> {
  const name = `test-${process.pid}-${count++}`;
  const tables = { records: `${name}-records`, control: `${name}-control` };
  await client.send(
    new CreateTableCommand({
      TableName: tables.records,
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
    }),
  );
  await client.send(
    new CreateTableCommand({
      TableName: tables.control,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
    }),
  );
  return tables;
}

export async function deleteTables(client: DynamoDBClient, tables: TestTables): Promise<void> {
  await client.send(new DeleteTableCommand({ TableName: tables.records }));
  await client.send(new DeleteTableCommand({ TableName: tables.control }));
}
