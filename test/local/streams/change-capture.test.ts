import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDynamoDbClient, type DynamoDBClient } from '../../../src/store/index.js';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../../tools/src/local/embedded-dynamodb.js';
import type { Change } from '../../../tools/src/local/streams/change.js';
import { createTables } from '../../store/tables.js';

let dynamoDb: EmbeddedDynamoDb;
let client: DynamoDBClient;
let TableName: string;
const changes: Change[] = [];
let onChange: (change: Change) => void = () => {};

beforeAll(async () => {
  dynamoDb = await startEmbeddedDynamoDb({
    port: 0,
    onChange: (change) => {
      changes.push(change);
      onChange(change);
    },
  });
  client = createDynamoDbClient({ endpoint: dynamoDb.endpoint });
  TableName = (await createTables(client)).records;
});
afterAll(async () => {
  client.destroy();
  await dynamoDb.stop();
});

/** The value of an attribute that is a text or a number. */
const value = (item: Change['after'], name: string) => Object.values((item?.[name] ?? {}) as object)[0];

const of = (id: string) =>
  changes
    .filter(({ before, after }) => value(after ?? before, 'id') === id)
    .map(({ before, after }) => [before, after]);

describe('the changes of the embedded DynamoDB', () => {
  it('receive every kind of write, with the item before and after, in their order', async () => {
    const first = { id: { S: 'a' }, n: { N: '1' } };
    const second = { id: { S: 'a' }, n: { N: '2' } };
    await client.send(new PutItemCommand({ TableName, Item: first }));
    await client.send(
      new UpdateItemCommand({
        TableName,
        Key: { id: { S: 'a' } },
        UpdateExpression: 'SET n = :n',
        ExpressionAttributeValues: { ':n': { N: '2' } },
      }),
    );
    await client.send(new DeleteItemCommand({ TableName, Key: { id: { S: 'a' } } }));
    await client.send(
      new BatchWriteItemCommand({ RequestItems: { [TableName]: [{ PutRequest: { Item: first } }] } }),
    );
    await vi.waitFor(() => expect(of('a')).toHaveLength(4));
    expect(of('a')).toEqual([
      [undefined, first],
      [first, second],
      [second, undefined],
      [undefined, first],
    ]);
    expect(new Set(changes.map(({ table }) => table))).toEqual(new Set([TableName]));
  });

  it('receive no write whose condition failed', async () => {
    const put = { TableName, Item: { id: { S: 'b' } }, ConditionExpression: 'attribute_exists(id)' };
    await expect(client.send(new PutItemCommand(put))).rejects.toThrow();
    await client.send(new PutItemCommand({ TableName, Item: { id: { S: 'c' } } }));
    await vi.waitFor(() => expect(of('c')).toHaveLength(1));
    expect(of('b')).toEqual([]);
  });

  it('can be read when they are reported, however many write at once', async () => {
    const missing: unknown[] = [];
    const reads: Promise<void>[] = [];
    onChange = ({ after }) => {
      const Key = { id: after?.id as never };
      const read = client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
      reads.push(
        read.then(({ Item }) => {
          // This write, or one that came behind it.
          if (Number(Item?.round?.N ?? -1) < Number(value(after, 'round'))) missing.push(after);
        }),
      );
    };
    for (const round of ['1', '2', '3', '4', '5']) {
      await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          client.send(
            new PutItemCommand({ TableName, Item: { id: { S: `many-${i}` }, round: { N: round } } }),
          ),
        ),
      );
    }
    await vi.waitFor(() => expect(reads).toHaveLength(200));
    await Promise.all(reads);
    onChange = () => {};
    expect(missing).toEqual([]);
    for (let i = 0; i < 40; i++) {
      expect(of(`many-${i}`).map(([, after]) => value(after, 'round'))).toEqual(['1', '2', '3', '4', '5']);
    }
  });

  it('are those of one database each', async () => {
    const other: Change[] = [];
    const second = await startEmbeddedDynamoDb({ port: 0, onChange: (change) => other.push(change) });
    try {
      const before = changes.length;
      const elsewhere = createDynamoDbClient({ endpoint: second.endpoint });
      const { records } = await createTables(elsewhere);
      await elsewhere.send(new PutItemCommand({ TableName: records, Item: { id: { S: 'z' } } }));
      await vi.waitFor(() => expect(other).toHaveLength(1));
      expect(changes).toHaveLength(before);
      elsewhere.destroy();
    } finally {
      await second.stop();
    }
  });
});
