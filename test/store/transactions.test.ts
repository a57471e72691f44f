import {
  CreateTableCommand,
  DeleteTableCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactGetItemsCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDynamoDbClient } from '../../src/store/index.js';
import { startDynamoDb } from './start-dynamodb.js';

/** Runs on the embedded DynamoDB, and on DynamoDB Local: the answers are those of both. */
const table = `transactions-${process.pid}`;
let dynamoDb: Awaited<ReturnType<typeof startDynamoDb>>;
let client: ReturnType<typeof createDynamoDbClient>;

beforeAll(async () => {
  dynamoDb = await startDynamoDb();
  client = createDynamoDbClient({ endpoint: dynamoDb.endpoint });
  await client.send(
    new CreateTableCommand({
      TableName: table,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['id', 'lane'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'lanes',
          KeySchema: [{ AttributeName: 'lane', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    }),
  );
});
afterAll(async () => {
  await client.send(new DeleteTableCommand({ TableName: table }));
  client.destroy();
  await dynamoDb.stop();
});

let n = 0;
let prefix = '';
beforeEach(() => {
  prefix = `t${++n}-`;
});
const S = (text: string) => ({ S: text });
const keyOf = (id: string) => ({ id: S(prefix + id) });
const put = (id: string, more: object = {}): TransactWriteItem => ({
  Put: { TableName: table, Item: { ...keyOf(id), n: { N: '1' }, ...more } },
});
const isNew = { ConditionExpression: 'attribute_not_exists(id)' };
const write = (items: TransactWriteItem[], more: object = {}) =>
  client.send(new TransactWriteItemsCommand({ TransactItems: items, ...more }));
const get = async (id: string) =>
  (await client.send(new GetItemCommand({ TableName: table, Key: keyOf(id), ConsistentRead: true }))).Item;
const place = (id: string, more: object = {}) =>
  client.send(new PutItemCommand({ TableName: table, Item: { ...keyOf(id), n: { N: '1' }, ...more } }));
/** The error of a refused transaction, and the reason for each item. */
const refusal = async (items: TransactWriteItem[], more: object = {}) =>
  write(items, more).then(
    () => ({ name: 'written' }),
    ({ name, message, CancellationReasons }) => ({
      name,
      message,
      ...(CancellationReasons ? { reasons: CancellationReasons } : {}),
    }),
  );

describe('TransactWriteItems', () => {
  it('puts, updates, deletes and checks in one', async () => {
    await Promise.all([place('a'), place('b', { lane: S(`${prefix}lane`) }), place('c')]);
    await write([
      put('new', { lane: S(`${prefix}lane`) }),
      {
        Update: {
          TableName: table,
          Key: keyOf('a'),
          UpdateExpression: 'SET #n = #n + :one',
          ExpressionAttributeNames: { '#n': 'n' },
          ExpressionAttributeValues: { ':one': { N: '1' } },
        },
      },
      { Delete: { TableName: table, Key: keyOf('b') } },
      { ConditionCheck: { TableName: table, Key: keyOf('c'), ConditionExpression: 'attribute_exists(id)' } },
      { Delete: { TableName: table, Key: keyOf('absent') } },
    ]);
    expect(await get('a')).toEqual({ ...keyOf('a'), n: { N: '2' } });
    expect(await get('b')).toBeUndefined();
    expect(await get('c')).toEqual({ ...keyOf('c'), n: { N: '1' } });
    expect(await get('new')).toMatchObject({ n: { N: '1' } });
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: table,
        IndexName: 'lanes',
        KeyConditionExpression: 'lane = :lane',
        ExpressionAttributeValues: { ':lane': S(`${prefix}lane`) },
      }),
    );
    expect(Items.map(({ id }) => id)).toEqual([S(`${prefix}new`)]);
  });

  it('writes nothing where one condition does not hold, and says which', async () => {
    await place('taken', { article: S('mug') });
    const taken = put('taken', { article: S('cup') });
    const answer = await refusal([put('other'), { Put: { ...taken.Put, ...isNew } as never }]);
    expect(answer).toEqual({
      name: 'TransactionCanceledException',
      message:
        'Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]',
      reasons: [
        { Code: 'None' },
        { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' },
      ],
    });
    expect(await get('other')).toBeUndefined();
    expect(await get('taken')).toMatchObject({ article: S('mug') });
  });

  it('shows the item that was in the way, where that is asked for', async () => {
    await place('taken', { article: S('mug') });
    const check = {
      ConditionCheck: {
        TableName: table,
        Key: keyOf('taken'),
        ConditionExpression: 'attribute_not_exists(id)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
      },
    };
    expect(await refusal([put('other'), check])).toMatchObject({
      reasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Item: { article: S('mug') } }],
    });
  });

  it('refuses two writes of one item, none, more than a hundred, and two in one part', async () => {
    expect(await refusal([put('a'), { Delete: { TableName: table, Key: keyOf('a') } }])).toEqual({
      name: 'ValidationException',
      message: 'Transaction request cannot include multiple operations on one item',
    });
    const many = Array.from({ length: 101 }, (_, i) => put(`m${i}`));
    expect(await refusal(many)).toMatchObject({ name: 'ValidationException' });
    expect(await refusal([])).toMatchObject({ name: 'ValidationException' });
    const two = { ...put('a'), Delete: { TableName: table, Key: keyOf('b') } };
    expect(await refusal([two])).toMatchObject({ name: 'ValidationException' });
    expect(await get('a')).toBeUndefined();
    await write(many.slice(0, 100));
    expect(await get('m99')).toBeDefined();
  });

  it('refuses a table that is not there, and a key of another type', async () => {
    const nowhere = { Put: { TableName: 'nowhere', Item: { id: S('a') } } };
    expect(await refusal([put('a'), nowhere])).toMatchObject({ name: 'ResourceNotFoundException' });
    const wrong = { Delete: { TableName: table, Key: { id: { N: '1' } } } };
    expect(['ValidationException', 'TransactionCanceledException']).toContain(
      (await refusal([put('a'), wrong])).name,
    );
    expect(await get('a')).toBeUndefined();
  });

  it('refuses it where an update meets an attribute of another type', async () => {
    await place('a', { n: S('text') });
    const update = {
      Update: {
        TableName: table,
        Key: keyOf('a'),
        UpdateExpression: 'SET #n = #n + :one',
        ExpressionAttributeNames: { '#n': 'n' },
        ExpressionAttributeValues: { ':one': { N: '1' } },
      },
    };
    // DynamoDB Local does not say which item it was.
    const { name } = await refusal([put('b'), update]);
    expect(['ValidationException', 'TransactionCanceledException']).toContain(name);
    expect(await get('b')).toBeUndefined();
  });

  it('is made once for one token, whose request may not change', async () => {
    const ClientRequestToken = `${prefix}token`;
    const add = {
      Update: {
        TableName: table,
        Key: keyOf('a'),
        UpdateExpression: 'ADD n :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
      },
    };
    await write([add], { ClientRequestToken });
    await write([add], { ClientRequestToken });
    expect(await get('a')).toMatchObject({ n: { N: '1' } });
    expect(await refusal([put('b')], { ClientRequestToken })).toMatchObject({
      name: 'IdempotentParameterMismatchException',
    });
  });

  it('of many at once on the same items, each is whole', async () => {
    await Promise.all([place('a'), place('b')]);
    const move = (from: string, to: string) => {
      const add = (id: string, by: string): TransactWriteItem => ({
        Update: {
          TableName: table,
          Key: keyOf(id),
          UpdateExpression: 'ADD n :by',
          ExpressionAttributeValues: { ':by': { N: by } },
        },
      });
      return write([add(from, '-1'), add(to, '1')]);
    };
    const moves = Array.from({ length: 10 }, (_, i) => (i % 2 ? move('a', 'b') : move('b', 'a')));
    // DynamoDB may cancel some, as they conflict.
    await Promise.allSettled(moves);
    const both = await Promise.all([get('a'), get('b')]);
    expect(both.reduce((sum, item) => sum + Number(item?.n?.N), 0)).toBe(2);
  });
});

it('TransactGetItems reads several items at once', async () => {
  await place('a');
  const items = ['a', 'absent'].map((id) => ({ Get: { TableName: table, Key: keyOf(id) } }));
  const { Responses } = await client.send(new TransactGetItemsCommand({ TransactItems: items }));
  expect(Responses).toEqual([{ Item: { ...keyOf('a'), n: { N: '1' } } }, {}]);
});
