import { type AttributeValue, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbClient, type DynamoDBClient } from '../../../src/store/index.js';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../../tools/src/local/embedded-dynamodb.js';
import { createTables } from '../../store/tables.js';

let dynamoDb: EmbeddedDynamoDb;
let client: DynamoDBClient;
let TableName: string;
beforeAll(async () => {
  dynamoDb = await startEmbeddedDynamoDb();
  client = createDynamoDbClient({ endpoint: dynamoDb.endpoint });
  TableName = (await createTables(client)).records;
});
afterAll(async () => {
  client.destroy();
  await dynamoDb.stop();
});

const Key = { id: { S: 'a' } };

/** Tells whether the condition held. */
async function isWritten(
  ConditionExpression: string,
  values: Record<string, AttributeValue>,
  names?: Record<string, string>,
): Promise<boolean> {
  const request = new UpdateItemCommand({
    TableName,
    Key,
    UpdateExpression: 'SET seen = :seen',
    ConditionExpression,
    ExpressionAttributeValues: { ':seen': { BOOL: true }, ...values },
    ...(names ? { ExpressionAttributeNames: names } : {}),
  });
  return client.send(request).then(
    () => true,
    (error: Error) => {
      if (error.name !== 'ConditionalCheckFailedException') throw error;
      return false;
    },
  );
}

describe('documents in conditions on the embedded DynamoDB', () => {
  const order = {
    M: {
      total: { N: '12.50' },
      tags: { SS: ['b', 'a'] },
      lines: { L: [{ S: 'x' }, { M: { n: { N: '1' } } }] },
    },
  };
  const same = {
    M: {
      lines: { L: [{ S: 'x' }, { M: { n: { N: '1.0' } } }] },
      tags: { SS: ['a', 'b'] },
      total: { N: '12.5' },
    },
  };
  const changed = (change: Record<string, AttributeValue>) => ({ M: { ...order.M, ...change } });

  it.each<[string, AttributeValue, boolean]>([
    ['the same in another order', same, true],
    ['another number', changed({ total: { N: '12.51' } }), false],
    ['a number as text', changed({ total: { S: '12.5' } }), false],
    ['another set', changed({ tags: { SS: ['a'] } }), false],
    ['another order of a list', changed({ lines: { L: [{ M: { n: { N: '1' } } }, { S: 'x' }] } }), false],
    ['a longer list', changed({ lines: { L: [...order.M.lines.L, { S: 'y' }] } }), false],
    ['one name more', changed({ more: { BOOL: true } }), false],
    ['one name less', { M: { total: order.M.total } }, false],
    ['no document', { S: 'order' }, false],
  ])('%s', async (_, value, expected) => {
    await client.send(new PutItemCommand({ TableName, Item: { ...Key, payload: order } }));
    const values = { ':p': value };
    expect(await isWritten('payload = :p', values)).toBe(expected);
    expect(await isWritten('NOT payload <> :p AND attribute_exists(id)', values)).toBe(expected);
    expect(await isWritten('attribute_not_exists(id) OR payload = :p', values)).toBe(expected);
  });

  it('are compared below a path, too, and are not equal to what is not there', async () => {
    await client.send(new PutItemCommand({ TableName, Item: { ...Key, payload: order } }));
    expect(await isWritten('payload.#l[1] = :p', { ':p': { M: { n: { N: '1' } } } }, { '#l': 'lines' })).toBe(
      true,
    );
    expect(await isWritten('payload.nothing = :p', { ':p': { M: {} } })).toBe(false);
  });
});
