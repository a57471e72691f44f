import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { TableShape } from '../../../src/store/dynamodb/create-tables.js';
import type { IndexFact, KeyFact, TableFacts } from '../../../src/store/dynamodb/inspect.js';
import { givenDatabase } from '../../../tools/src/local/database/given.js';
import { localEndpoint } from '../../../tools/src/local/database/local-endpoint.js';
import { checkTable } from '../../../tools/src/local/database/table-check.js';
import { startEmbeddedDynamoDb } from '../../../tools/src/local/embedded-dynamodb.js';
import { startRuntime } from '../../../tools/src/local/runtime.js';

const reported = { onChange: () => {}, onTrouble: () => {} };

describe('another DynamoDB', () => {
  it.each([
    ['http://127.0.0.1:8000', 'http://127.0.0.1:8000'],
    ['http://localhost:8000/', 'http://localhost:8000'],
    ['https://dynamodb.test', 'https://dynamodb.test'],
    ['http://amazonaws.com.example:8000', 'http://amazonaws.com.example:8000'],
  ])('may be at %s', (text, expected) => {
    expect(localEndpoint(text)).toBe(expected);
  });

  it.each([
    ['127.0.0.1:8000', 'expected a URL such as http://127.0.0.1:8000, got "127.0.0.1:8000"'],
    ['ftp://127.0.0.1', 'expected a URL such as'],
    ['http://127.0.0.1:8000/shell', 'expected a URL of a host and a port alone'],
    ['https://dynamodb.eu-central-1.amazonaws.com', 'this machine would attempt the records that are there'],
    ['https://vpce-1.dynamodb.eu-central-1.vpce.amazonaws.com', 'this machine would attempt the records'],
    ['https://dynamodb.cn-north-1.amazonaws.com.cn/', 'this machine would attempt the records'],
    ['https://dynamodb.eu-central-1.api.aws', 'this machine would attempt the records'],
    ['https://DynamoDB.us-east-1.AmazonAWS.com.', 'this machine would attempt the records'],
  ])('may not be %s', (text, message) => {
    expect(() => localEndpoint(text)).toThrow(
      `--dynamodb-endpoint: ${message.startsWith('expected') ? message : ''}`,
    );
    expect(() => localEndpoint(text)).toThrow(message);
  });

  it('that does not answer is an error with the reason', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    await expect(givenDatabase(`http://127.0.0.1:${port}`, reported)).rejects.toThrow(
      new RegExp(`--dynamodb-endpoint http://127.0.0.1:${port}: no DynamoDB answers there.*ECONNREFUSED`),
    );
  });

  it('that has no streams is an error that says so', async () => {
    const dynalite = await startEmbeddedDynamoDb();
    try {
      await expect(givenDatabase(dynalite.endpoint, reported)).rejects.toThrow(
        `--dynamodb-endpoint ${dynalite.endpoint}: it has no DynamoDB Streams, which bring new records`,
      );
    } finally {
      await dynalite.stop();
    }
  });

  it('is not for data that are kept here', async () => {
    const options = { dynamodbEndpoint: 'http://127.0.0.1:1', dataDir: 'nowhere', port: 0 };
    await expect(startRuntime(options)).rejects.toThrow(/--data-dir keeps .* leave one of the two out/);
  });
});

describe('a table that is there already', () => {
  const due = [
    { name: 'lane', type: 'HASH' as const },
    { name: 'dueAt', type: 'RANGE' as const },
  ];
  const records: TableShape = {
    name: 'Records',
    keys: [{ name: 'id', type: 'HASH' }],
    attributes: [],
    indexes: [{ name: 'due', keys: due, projection: 'KEYS_ONLY' }],
  };
  const key = (name: string, role: KeyFact['role'] = 'HASH'): KeyFact => ({ name, role, type: 'S' });
  const index = (name: string, ...keys: readonly KeyFact[]): IndexFact => ({
    name,
    keys,
    projection: 'KEYS_ONLY',
    ready: true,
    itemCount: 0,
    bytes: 0,
  });
  const found = (changes: Partial<TableFacts> = {}) => ({
    keys: [key('id')],
    indexes: [index('due', key('lane'), key('dueAt', 'RANGE')), index('other', key('id'))],
    stream: { arn: 'arn', viewType: 'NEW_IMAGE' },
    ...changes,
  });

  it('is used if it is as the app has it; more indexes and larger images do no harm', () => {
    expect(() => checkTable(records, found(), 'NEW_IMAGE')).not.toThrow();
    const both = { arn: 'arn', viewType: 'NEW_AND_OLD_IMAGES' };
    expect(() => checkTable(records, found({ stream: both }), 'NEW_IMAGE')).not.toThrow();
    expect(() => checkTable(records, found({ stream: undefined }), undefined)).not.toThrow();
  });

  it.each([
    [{ keys: [key('pk')] }, 'expected the key id (HASH), got pk (HASH)'],
    [{ keys: [key('id'), key('sk', 'RANGE')] }, 'got id (HASH), sk (RANGE)'],
    [{ indexes: [] }, 'expected an index due with lane (HASH), dueAt (RANGE), got no such index'],
    [{ indexes: [index('due', key('lane'))] }, 'got lane (HASH)'],
    [{ stream: undefined }, 'expected a stream of NEW_IMAGE, got none'],
    [{ stream: { arn: 'arn', viewType: 'KEYS_ONLY' } }, 'expected a stream of NEW_IMAGE, got KEYS_ONLY'],
  ])('is refused with %j', (changes, message) => {
    expect(() => checkTable(records, found(changes), 'NEW_IMAGE')).toThrow(
      'the table Records is there already: ',
    );
    expect(() => checkTable(records, found(changes), 'NEW_IMAGE')).toThrow(message);
  });
});
