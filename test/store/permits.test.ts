import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { dynamoDbForFile } from './dynamodb-for-file.js';
import { NOW } from './records.js';

const dynamoDb = dynamoDbForFile();

async function itemOf(key: string): Promise<Record<string, unknown> | undefined> {
  const { client, tables } = dynamoDb.underTest;
  const documents = DynamoDBDocumentClient.from(client);
  return (await documents.send(new GetCommand({ TableName: tables.control, Key: { key } }))).Item;
}

const permits = { count: 2, intervalMs: 1_000, now: NOW, latest: NOW + 60_000 };

describe('the item of the permits', () => {
  it('of a key is its own, and goes an hour after the last permit that may be in it', async () => {
    const { permits: store } = dynamoDb.underTest.store;
    await store.acquire('paced', { ...permits, key: '1z141z3' });
    const seconds = (NOW + 60_000 + 2_000 + 3_600_000) / 1000;
    const item = { key: 'pace#paced#1z141z3', nextPermit: NOW + 2_000, expiresAt: seconds };
    expect(await itemOf('pace#paced#1z141z3')).toEqual(item);
    // Behind those of another run.
    await store.acquire('paced', { ...permits, now: NOW + 1_000, latest: NOW + 61_000, key: '1z141z3' });
    expect(await itemOf('pace#paced#1z141z3')).toEqual({
      ...item,
      nextPermit: NOW + 4_000,
      expiresAt: seconds + 1,
    });
    expect(await itemOf('queue#paced')).toBeUndefined();
  });

  it('of a queue is that of the queue, which stays', async () => {
    await dynamoDb.underTest.store.permits.acquire('even', permits);
    expect(await itemOf('queue#even')).toEqual({ key: 'queue#even', nextPermit: NOW + 2_000 });
  });

  it('of a key that another service has written begins again where its time cannot be one', async () => {
    const { client, tables, store } = dynamoDb.underTest;
    const documents = DynamoDBDocumentClient.from(client);
    for (const nextPermit of ['soon', NOW + 9 * 3_600_000, null, { a: 1 }]) {
      const Item = { key: 'pace#paced#damaged', nextPermit, expiresAt: 'never', other: 1 };
      await documents.send(new PutCommand({ TableName: tables.control, Item }));
      expect(await store.permits.acquire('paced', { ...permits, key: 'damaged' })).toBe(NOW);
      expect(await itemOf('pace#paced#damaged')).toMatchObject({ nextPermit: NOW + 2_000, other: 1 });
    }
  });
});
