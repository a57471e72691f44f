import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  ListTablesCommand,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { CommandLine, startReceiver } from '../cli/process.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

const endpoint = dynamoDbLocalEndpoint();
const RECORDS = 'BacklogRecords';
const OURS = /^Backlog/;
const ORDERS = 'OutboxOrders';

const client = new DynamoDBClient({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
const documents = DynamoDBDocumentClient.from(client);
let cli: CommandLine;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
const answers: Record<string, number> = {};

beforeAll(async () => {
  await client.send(
    new CreateTableCommand({
      TableName: ORDERS,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    }),
  );
});
afterAll(async () => {
  await client.send(new DeleteTableCommand({ TableName: ORDERS }));
  client.destroy();
});
beforeEach(async () => {
  cli = await CommandLine.create();
  receiver = await startReceiver((id) => answers[id] ?? 200);
});
afterEach(async () => {
  cli.close();
  await receiver.stop();
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  for (const TableName of TableNames.filter((name) => OURS.test(name))) {
    await client.send(new DeleteTableCommand({ TableName }));
  }
});

const start = () =>
  cli.startRuntime('--no-sample', '--deliver-to', receiver.url, '--dynamodb-endpoint', endpoint);
const record = async (id: string) =>
  (await documents.send(new GetCommand({ TableName: RECORDS, Key: { id }, ConsistentRead: true }))).Item;
const delivered = () => receiver.deliveries.map(({ id }) => id).sort();
// Each test starts and stops runtimes.
vi.setConfig({ testTimeout: 150_000 });
const soon = { timeout: 40_000, interval: 100 };

/** Puts an order and the record of its delivery in one transaction: both or neither. */
const place = (id: string) =>
  documents.send(
    new TransactWriteCommand({
      TransactItems: [
        {
          Put: {
            TableName: ORDERS,
            Item: { id, total: 12 },
            ConditionExpression: 'attribute_not_exists(id)',
          },
        },
        { Put: { TableName: RECORDS, Item: { id, status: 'NEW', payload: { indexed: id } } } },
      ],
    }),
  );

it('an outbox written by transactions is delivered, what fails waits, what is cancelled never was', async () => {
  answers['order-bad'] = 503;
  const runtime = await start();
  expect(runtime.out()).toContain(endpoint);
  await place('order-1');
  await place('order-bad');
  await expect(place('order-1')).rejects.toThrow('ConditionalCheckFailed');
  await vi.waitFor(async () => expect(await record('order-1')).toMatchObject({ status: 'SUCCESS' }), soon);
  await vi.waitFor(
    async () => expect(await record('order-bad')).toMatchObject({ status: 'ERROR', lane: 'default' }),
    soon,
  );
  expect(await record('order-1')).toMatchObject({ attempts: 1 });
  expect(delivered()).toEqual(['order-1', 'order-bad']);
  expect((await cli.run('list', '--json')).out).toContain('order-bad');

  const second = cli.start('start', '--port', '0', '--no-sample', '--dynamodb-endpoint', endpoint);
  expect(await second.ended).toBe(1);
  expect(second.err()).toMatch(/the local runtime with pid \d+.* works on it/);
  runtime.kill('SIGTERM');
  expect(await runtime.ended).toBe(0);
});

it('a restart loses nothing and attempts nothing twice', async () => {
  const first = await start();
  const before = Array.from({ length: 30 }, (_, i) => `before-${i}`);
  await Promise.all(before.map(place));
  await vi.waitFor(() => expect(delivered()).toHaveLength(before.length), soon);
  first.kill('SIGTERM');
  expect(await first.ended).toBe(0);

  const between = Array.from({ length: 30 }, (_, i) => `between-${i}`);
  await Promise.all(between.map(place));
  const second = await start();
  const after = Array.from({ length: 30 }, (_, i) => `after-${i}`);
  await Promise.all(after.map(place));
  const all = [...before, ...between, ...after].sort();
  await vi.waitFor(() => expect(delivered()).toHaveLength(all.length), soon);
  // Long enough for a stream that is read from its beginning again.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(delivered()).toEqual(all);
  second.kill('SIGTERM');
  expect(await second.ended).toBe(0);
});

it('what a killed runtime had under way is attempted again, and all that waited', async () => {
  const first = await start();
  const ids = Array.from({ length: 60 }, (_, i) => `kill-${i}`);
  const placing = Promise.all(ids.map(place));
  await vi.waitFor(() => expect(delivered().length).toBeGreaterThan(5), { ...soon, interval: 5 });
  first.kill('SIGKILL');
  await first.ended;
  await placing;
  const second = await start();
  await vi.waitFor(async () => {
    const records = await Promise.all(ids.map(record));
    expect(records.filter((one) => one?.status !== 'SUCCESS')).toEqual([]);
  }, soon);
  expect(new Set(delivered())).toEqual(new Set(ids));
  second.kill('SIGTERM');
  expect(await second.ended).toBe(0);
});

it('a table of another key is refused by name', async () => {
  await client.send(
    new CreateTableCommand({
      TableName: RECORDS,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    }),
  );
  const runtime = cli.start('start', '--port', '0', '--no-sample', '--dynamodb-endpoint', endpoint);
  expect(await runtime.ended).toBe(1);
  expect(runtime.err()).toContain(
    `the table ${RECORDS} is there already: expected the key id (HASH), got pk (HASH)`,
  );
});
