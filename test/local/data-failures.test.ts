import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDynamoDbClient, DynamoDbStore } from '../../src/store/index.js';
import { ConfigurationError } from '../../src/support/errors.js';
import { startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { folderTrouble } from '../../tools/src/local/folder-trouble.js';
import { Timekeeper } from '../../tools/src/local/schedule/timekeeper.js';
import { clock } from '../store/dynamodb-under-test.js';
import { item, NOW } from '../store/records.js';
import { createTables, type TestTables } from '../store/tables.js';
import { closeAtRead, countEntries, damageReads, failWritesFrom, ioError } from './dynalite/failing-disk.js';

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'backlog-data-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Asks once. */
const clientAt = (endpoint: string) =>
  new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'a' },
    maxAttempts: 1,
  });
const storeAt = (endpoint: string, tables: TestTables) =>
  new DynamoDbStore({ client: clientAt(endpoint), tables, clock });

describe('a disk that is full', () => {
  it('is reported once, with what to do; what was accepted is there at the next start, and no more', async () => {
    const dataDir = join(scratch, 'full');
    const failures: ConfigurationError[] = [];
    const first = await startEmbeddedDynamoDb({ dataDir, onFailure: (error) => failures.push(error) });
    const tables = await createTables(createDynamoDbClient({ endpoint: first.endpoint }));
    const disk = failWritesFrom(4, ioError('No space left on device'));
    const store = storeAt(first.endpoint, tables);
    const accepted: string[] = [];
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      if ((await store.records.insert(item(id)).catch(() => 'refused')) === 'inserted') accepted.push(id);
    }
    expect(accepted).toEqual(['a', 'b', 'c']);
    // The disk has room again, but LevelDB would go on behind half an entry: nothing is accepted any more.
    disk.restore();
    await expect(store.records.insert(item('f'))).rejects.toThrow();
    await first.stop();
    expect(failures).toHaveLength(1);
    expect(failures[0]?.message).toBe(
      `the data in ${dataDir} cannot be used: its disk is full (LEVEL_IO_ERROR, /data/dynamodb/000003.log). ` +
        'All that was accepted before is kept. Free some space, or copy the folder to a larger disk, and start again',
    );

    const again = await startEmbeddedDynamoDb({ dataDir });
    const found = await storeAt(again.endpoint, tables).pages.read([...'abcdef'], 'orders');
    expect(found.records.map(({ id }) => id)).toEqual(accepted);
    await again.stop();
  });

  it('leaves no item whose index entry is missing: both are one write', async () => {
    const dataDir = join(scratch, 'whole');
    const dynamoDb = await startEmbeddedDynamoDb({ dataDir });
    const tables = await createTables(createDynamoDbClient({ endpoint: dynamoDb.endpoint }));
    const store = storeAt(dynamoDb.endpoint, tables);
    const entries = countEntries();
    await store.records.insert(item('a'));
    expect(entries.sizes).toEqual([2]);
    const [found] = (await store.pages.read(['a'], 'orders')).records;
    if (!found) throw new Error('not found');
    entries.restore();
    // Another due time is another entry of the index, in place of the previous one.
    const disk = failWritesFrom(1, ioError('No space left on device'));
    const later = { dueAt: '2030-01-01T00:00:00.000Z' };
    await expect(store.records.settle(found, { set: later, remove: [] }, 'rev-2')).rejects.toThrow();
    disk.restore();
    expect(disk.writes()).toBe(1);
    await dynamoDb.stop();
    const again = await startEmbeddedDynamoDb({ dataDir });
    const query = { lane: 'orders', until: NOW, order: 'oldestFirst', limit: 10 } as const;
    const due = await storeAt(again.endpoint, tables).pages.query(query);
    expect(due.keys.map(({ id }) => id)).toEqual(['a']);
    await again.stop();
  });
});

describe('data that cannot be read', () => {
  it('are reported when a read meets them, without what is in them', async () => {
    const failures: ConfigurationError[] = [];
    const dynamoDb = await startEmbeddedDynamoDb({
      dataDir: join(scratch, 'unreadable'),
      onFailure: (error) => failures.push(error),
    });
    const tables = await createTables(createDynamoDbClient({ endpoint: dynamoDb.endpoint }));
    const text = `Could not decode value: Unexpected token 's', "secret payload" is not valid JSON`;
    damageReads(Object.assign(new Error(text), { code: 'LEVEL_DECODE_ERROR' }));
    await expect(storeAt(dynamoDb.endpoint, tables).pages.read(['a'], 'orders')).rejects.toThrow();
    expect(failures[0]?.message).toMatch(/files in it are damaged \(LEVEL_DECODE_ERROR\).*Put a copy/);
    expect(failures[0]?.message).not.toContain('secret');
    vi.restoreAllMocks();
    await dynamoDb.stop();
  });

  it('are an error at the start that says what to do', async () => {
    const dataDir = join(scratch, 'damaged');
    const first = await startEmbeddedDynamoDb({ dataDir });
    await createTables(createDynamoDbClient({ endpoint: first.endpoint }));
    await first.stop();
    await writeFile(join(dataDir, 'CURRENT'), 'MANIFEST-999999\n');
    const starting = startEmbeddedDynamoDb({ dataDir });
    await expect(starting).rejects.toThrow(ConfigurationError);
    await expect(starting).rejects.toThrow(/damaged/);
    for (const name of await readdir(dataDir)) {
      if (name.startsWith('MANIFEST')) await truncate(join(dataDir, name), 3);
    }
    await writeFile(join(dataDir, 'CURRENT'), 'no file\n');
    await expect(startEmbeddedDynamoDb({ dataDir })).rejects.toThrow(ConfigurationError);
  });

  it('say of the clock that it may be removed', async () => {
    const file = join(scratch, 'clock.json');
    await writeFile(file, '');
    const starting = Timekeeper.start({ speed: 1, file });
    await expect(starting).rejects.toThrow(ConfigurationError);
    await expect(starting).rejects.toThrow(/is no state of a local runtime.*remove it/);
  });
});

describe('the folder of the data', () => {
  it('is reported missing by the clock that cannot be saved in it any more', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backlog-time-'));
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const onTrouble = vi.fn<(error: Error) => void>();
    const keeper = await Timekeeper.start({ speed: 1, file: join(folder, 'clock.json'), onTrouble });
    await rm(folder, { recursive: true });
    vi.advanceTimersByTime(1_000);
    await vi.waitFor(() => expect(onTrouble).toHaveBeenCalledOnce(), { timeout: 60_000 });
    expect(onTrouble.mock.calls[0]?.[0].message).toMatch(/removed or replaced/);
    await expect(keeper.stop()).rejects.toThrow(/removed or replaced/);
    await expect(readdir(folder)).rejects.toThrow('ENOENT');
  });

  it('that may not be written to, or is on no disk, has words of its own', () => {
    const readOnly = folderTrouble('/data', ioError('Read-only file system'));
    expect(readOnly.message).toMatch(/this user may not write to it.*Make it writable/);
    const denied = folderTrouble(
      '/data',
      Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' }),
    );
    expect(denied.message).toMatch(/this user may not write to it \(EACCES\)/);
    expect(folderTrouble('/data', new Error('odd')).message).toBe(
      'the data in /data cannot be used: it cannot be used',
    );
  });
});

describe('a database that is closed while a request is at work, as at the stop of a busy machine,', () => {
  const key = { id: { S: 'a' } };
  const requests = {
    query: (TableName: string) =>
      new QueryCommand({
        ...{ TableName, KeyConditionExpression: 'id = :id', ExpressionAttributeValues: { ':id': key.id } },
      }),
    scan: (TableName: string) => new ScanCommand({ TableName }),
    get: (TableName: string) => new GetItemCommand({ TableName, Key: key }),
    put: (TableName: string) => new PutItemCommand({ TableName, Item: key }),
    update: (TableName: string) => new UpdateItemCommand({ TableName, Key: key }),
    delete: (TableName: string) => new DeleteItemCommand({ TableName, Key: key }),
    'read of many': (TableName: string) =>
      new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [key] } } }),
    'write of many': (TableName: string) =>
      new BatchWriteItemCommand({ RequestItems: { [TableName]: [{ PutRequest: { Item: key } }] } }),
    transaction: (TableName: string) =>
      new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName, Item: key } }] }),
  };

  it.each(Object.keys(requests).flatMap((name) => [1, 2].map((n) => [name, n] as const)))(
    'answers a %s with an error, and ends in order: closed behind read %i',
    async (name, n) => {
      const failures: ConfigurationError[] = [];
      const dynamoDb = await startEmbeddedDynamoDb({
        ...{
          dataDir: join(scratch, `closed-${name}-${n}`),
          onFailure: (error: ConfigurationError) => failures.push(error),
        },
      });
      const { records } = await createTables(createDynamoDbClient({ endpoint: dynamoDb.endpoint }));
      const client = clientAt(dynamoDb.endpoint);
      await client.send(new PutItemCommand({ TableName: records, Item: key }));
      closeAtRead(n);
      const request = requests[name as keyof typeof requests](records);
      // Some read once: they have their answer, and the next request has none.
      const ends = await Promise.allSettled([client.send(request as ScanCommand)]);
      const later = client.send(new ListTablesCommand({}));
      if (ends[0]?.status === 'rejected')
        expect(ends[0].reason).toMatchObject({ name: 'InternalServerError' });
      else expect(n).toBe(2);
      await Promise.allSettled([later]);
      await dynamoDb.stop();
      expect(failures).toEqual([]);
      client.destroy();
    },
  );
});
