import {
  CreateTableCommand,
  DeleteTableCommand,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDynamoDbClient } from '../../src/store/index.js';
import { createTables, deleteTables, type TestTables } from '../store/tables.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

const endpoint = dynamoDbLocalEndpoint();
const client = createDynamoDbClient({ endpoint });
const orders = `test-${process.pid}-orders`;
let tables: TestTables;
let outbox: typeof import('../../examples/outbox/order-service.js');

beforeAll(async () => {
  tables = await createTables(client);
  await client.send(
    new CreateTableCommand({
      TableName: orders,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  );
  // The service reads them when it is loaded, as a Lambda function does.
  vi.stubEnv('ORDERS_TABLE', orders);
  vi.stubEnv('BACKLOG_TABLE', tables.records);
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', endpoint);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  outbox = await import('../../examples/outbox/order-service.js');
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await client.send(new DeleteTableCommand({ TableName: orders }));
  await deleteTables(client, tables);
  outbox.dynamodb.destroy();
  client.destroy();
});

async function stored(table: string, id: string) {
  const { Item } = await client.send(new GetItemCommand({ TableName: table, Key: { id: { S: id } } }));
  return Item;
}

const order = (id: string) => ({ id, article: 'mug', quantity: 2 });

describe('the order service of the example outbox', () => {
  it('writes an order together with the record that announces it', async () => {
    await outbox.placeOrder(order('order-1'));
    expect(await stored(orders, 'order-1')).toMatchObject({ article: { S: 'mug' } });
    expect(await stored(tables.records, 'order-1/placed')).toEqual({
      id: { S: 'order-1/placed' },
      status: { S: 'NEW' },
      queue: { S: 'webhooks' },
      payload: { M: { id: { S: 'order-1' }, article: { S: 'mug' }, quantity: { N: '2' } } },
    });
  });

  it('writes no record for an order that is there already, and no order whose record is', async () => {
    await outbox.placeOrder(order('order-2'));
    await expect(outbox.placeOrder({ ...order('order-2'), quantity: 99 })).rejects.toThrow(/conditional/i);
    expect(await stored(tables.records, 'order-2/placed')).toMatchObject({
      payload: { M: { quantity: { N: '2' } } },
    });

    const Item = { id: { S: 'order-3/placed' }, status: { S: 'NEW' } };
    await client.send(new PutItemCommand({ TableName: tables.records, Item }));
    await expect(outbox.placeOrder(order('order-3'))).rejects.toThrow(/conditional/i);
    expect(await stored(orders, 'order-3')).toBeUndefined();
  });
});
