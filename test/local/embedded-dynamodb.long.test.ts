import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbClient, StoreUnavailableError } from '../../src/store/index.js';
import { ConfigurationError } from '../../src/support/errors.js';
import { embeddedDatabase } from '../../tools/src/local/database/embedded.js';
import { startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { item } from '../store/records.js';
import { createTables } from '../store/tables.js';
import { storeAt } from './store-at.js';

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'embedded-dynamodb-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

describe('the embedded DynamoDB', () => {
  it('says which port is taken, and by which flag to choose another', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const starting = embeddedDatabase({
      port,
      dataDir: undefined,
      onChange() {},
      onPortTaken() {},
      onFailure() {},
    });
    await expect(starting).rejects.toThrow(ConfigurationError);
    await expect(starting).rejects.toThrow(new RegExp(`port ${port} is taken.*--dynamodb-port`));
    server.close();
  });

  it('reports each write of a transaction to the streams, and none of one that is cancelled', async () => {
    const changes: unknown[] = [];
    const dynamoDb = await startEmbeddedDynamoDb({ onChange: (change) => changes.push(change) });
    const client = createDynamoDbClient({ endpoint: dynamoDb.endpoint });
    const { records: TableName } = await createTables(client);
    const put = (id: string): TransactWriteItem => ({
      Put: { TableName, Item: { id: { S: id } }, ConditionExpression: 'attribute_not_exists(id)' },
    });
    const write = (...ids: string[]) =>
      client.send(new TransactWriteItemsCommand({ TransactItems: ids.map(put) }));
    await write('a', 'b');
    await expect(write('c', 'a')).rejects.toThrow('[None, ConditionalCheckFailed]');
    const remove = { Delete: { TableName, Key: { id: { S: 'a' } } } };
    const nothing = { Delete: { TableName, Key: { id: { S: 'absent' } } } };
    await client.send(new TransactWriteItemsCommand({ TransactItems: [remove, nothing] }));
    const [a, b] = ['a', 'b'].map((id) => ({ id: { S: id } }));
    expect(changes).toEqual([
      { table: TableName, before: undefined, after: a },
      { table: TableName, before: undefined, after: b },
      { table: TableName, before: a, after: undefined },
    ]);
    client.destroy();
    await dynamoDb.stop();
  });

  it('serves this machine only', async () => {
    const dynamoDb = await startEmbeddedDynamoDb();
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
    expect(dynamoDb.endpoint).toBe(`http://127.0.0.1:${dynamoDb.port}`);
    if (outside) {
      const socket = connect(dynamoDb.port, outside);
      const refused = await Promise.race([
        once(socket, 'connect').then(() => false),
        once(socket, 'error').then(() => true),
      ]).catch(() => true);
      expect(refused).toBe(true);
      socket.destroy();
    }
    await dynamoDb.stop();
  });

  it('serves no web page that is open in a browser of this machine', async () => {
    const dynamoDb = await startEmbeddedDynamoDb();
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.ListTables',
      'x-amz-date': '20260101T000000Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=a',
    };
    const send = (method: string, more: Record<string, string>) =>
      fetch(dynamoDb.endpoint, {
        method,
        headers: { ...headers, ...more },
        ...(method === 'POST' ? { body: '{}' } : {}),
      });
    expect((await send('POST', {})).status).toBe(200);
    for (const method of ['POST', 'OPTIONS']) {
      const answer = await send(method, { origin: 'https://shop.example.com' });
      expect(answer.status).toBe(403);
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
    await dynamoDb.stop();
  });

  it('stops at once with connections kept alive, and with requests under way', async () => {
    const dynamoDb = await startEmbeddedDynamoDb({ dataDir: join(scratch, 'stopped') });
    const tables = await createTables(createDynamoDbClient({ endpoint: dynamoDb.endpoint }));
    const store = storeAt(dynamoDb.endpoint, tables);
    await store.records.insert(item('r-1'));
    const underWay = Array.from({ length: 50 }, (_, i) =>
      store.records.insert(item(`w-${i}`)).catch((error: unknown) => error),
    );
    await Promise.race(underWay);
    const start = performance.now();
    await dynamoDb.stop();
    expect(performance.now() - start).toBeLessThan(1500);
    for (const answer of await Promise.all(underWay)) {
      if (answer !== 'inserted') expect(answer).toBeInstanceOf(StoreUnavailableError);
    }
    await dynamoDb.stop();
  });

  it('survives a client that goes away in the middle of a request', async () => {
    const dynamoDb = await startEmbeddedDynamoDb();
    const socket = connect(dynamoDb.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{"half":');
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.resetAndDestroy();
    const tables = await createTables(createDynamoDbClient({ endpoint: dynamoDb.endpoint }));
    expect(await storeAt(dynamoDb.endpoint, tables).records.insert(item('r-1'))).toBe('inserted');
    await dynamoDb.stop();
  });
});
