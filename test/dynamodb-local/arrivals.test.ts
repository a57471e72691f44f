import { Logger } from '@aws-lambda-powertools/logger';
import {
  BatchWriteItemCommand,
  CreateTableCommand,
  ExecuteStatementCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backlogHandler } from '../../functions/index.js';
import { intakeHandler } from '../../functions/intake/intake-handler.js';
import { createDynamoDbClient, DynamoDbSweepStore } from '../../src/store/index.js';
import { systemClock } from '../../src/support/clock.js';
import type { Process } from '../../src/worker/index.js';
import { matcherOf } from '../../tools/src/local/streams/event-pattern.js';
import { backlogWith, propertiesOf, retryQueue } from '../cdk/support.js';
import { lambdaRecord } from '../store/changes.js';
import { readStream } from '../store/stream.js';
import { newTableNames, tableDefinitions } from '../store/tables.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

const endpoint = dynamoDbLocalEndpoint();
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const client = createDynamoDbClient({ endpoint });
const documents = DynamoDBDocumentClient.from(client);
const streams = new DynamoDBStreamsClient({ endpoint, region: 'us-east-1', credentials });
const tables = newTableNames();
const TableName = tables.records;
const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 300_000 };
const env = {
  BACKLOG_TABLE: tables.records,
  BACKLOG_CONTROL_TABLE: tables.control,
  BACKLOG_FUNCTION_TIMEOUT_SECONDS: '300',
  BACKLOG_QUEUES: JSON.stringify({ default: { retryMode: 'perRecord' } }),
  BACKLOG_ARRIVAL_FUNCTIONS: JSON.stringify({ Worker: ['default'] }),
  BACKLOG_REDELIVERY_URL: 'https://sqs.us-east-1.amazonaws.com/0/returns',
};

const store = new DynamoDbSweepStore({ client, tables, clock: systemClock });
const logger = new Logger({ logLevel: 'SILENT' });
const common = { store, env, logger, emit: () => {} };

let matches: (record: unknown) => boolean;
let attempted: string[] = [];
let returned: (readonly string[])[] = [];
let process: Process;

beforeAll(async () => {
  const { records, control } = tableDefinitions(tables);
  const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' } as const;
  await client.send(new CreateTableCommand({ ...records, StreamSpecification }));
  await client.send(new CreateTableCommand(control));
  const { template } = backlogWith({ queues: { default: retryQueue } });
  const [mapping] = propertiesOf(template, 'AWS::Lambda::EventSourceMapping');
  const patterns = mapping.FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) =>
    matcherOf(JSON.parse(Pattern), 'the filter'),
  ) as ReturnType<typeof matcherOf>[];
  matches = (record) => patterns.some((pattern) => pattern(record));
});
afterAll(() => {
  client.destroy();
  streams.destroy();
});
beforeEach(() => {
  attempted = [];
  returned = [];
  process = ({ id }) => void attempted.push(id);
});

const worker = backlogHandler({
  queue: 'default',
  process: (record, seen) => process(record, seen),
  ...common,
});
const intake = intakeHandler({
  ...common,
  invoker: {
    async invoke({ event }) {
      await worker(event, context);
      return 'accepted';
    },
    sendToRedelivery: async (ids) => void returned.push(ids),
    async sendShortWait() {},
    giveUp: async () => {},
  },
});

let seen = 0;
let invocations = 0;

/** Sends the intake the stream's records since the last call, as far as the filter of the stack lets them through. */
async function dispatchInserts(): Promise<void> {
  const records = await readStream(client, streams, TableName);
  const fresh = records.slice(seen).map((record) => lambdaRecord(record, 'arn'));
  seen = records.length;
  const Records = fresh.filter(matches);
  if (Records.length === 0) return;
  invocations++;
  expect(await intake({ Records }, context)).toEqual({ batchItemFailures: [] });
}

const get = async (id: string) =>
  (await documents.send(new GetCommand({ TableName, Key: { id }, ConsistentRead: true }))).Item;

/** The lanes that a record has had, one for each of its states. */
const lanesOf = async (id: string) =>
  (await readStream(client, streams, TableName))
    .filter(({ dynamodb }) => dynamodb?.Keys?.id?.S === id)
    .map(({ dynamodb }) => dynamodb?.NewImage?.lane?.S);

const bare = (id: string, payload = '{}') => ({
  id: { S: id },
  status: { S: 'NEW' },
  payload: { S: payload },
});

describe('a record that DynamoDB Streams reports', () => {
  it('is corrected if its producer has chosen a wrong lane, and the correction is not processed again', async () => {
    const at = { dueAt: { S: '2026-11-20T08:00:00.000Z' } };
    for (const [id, lane] of [
      ['wrong', 'nosuch'],
      ['wrong-dead', 'other/dead'],
      ['right', 'default'],
    ] as const) {
      const Item = { ...bare(id), queue: { S: 'default' }, lane: { S: lane }, ...at };
      await client.send(new PutItemCommand({ TableName, Item }));
    }
    invocations = 0;
    await dispatchInserts();
    for (const id of ['wrong', 'wrong-dead']) {
      expect(await get(id)).toMatchObject({ lane: 'default', rev: expect.any(String) });
    }
    expect(await get('right')).not.toHaveProperty('rev');
    expect(attempted).toEqual([]);
    // The writes of the intake, and of a run that attempts what it has indexed, are none of its business.
    await worker({ queue: 'default' }, context);
    expect([...attempted].sort()).toEqual(['right', 'wrong', 'wrong-dead']);
    await dispatchInserts();
    expect(invocations).toBe(1);
  });

  it('is found by the sweep where it is in the lane of another queue, whatever its queue is', async () => {
    const at = { lane: { S: 'nosuch' }, dueAt: { S: '2026-11-20T08:00:00.000Z' }, rev: { S: 'mine' } };
    const queues = {
      n: { N: '5' },
      map: { M: {} },
      set: { SS: ['a'] },
      null: { NULL: true },
      s: { S: 'orders' },
    };
    for (const [type, queue] of Object.entries(queues)) {
      await client.send(new PutItemCommand({ TableName, Item: { ...bare(`stray-${type}`), ...at, queue } }));
    }
    await client.send(new PutItemCommand({ TableName, Item: { ...bare('stray-none'), ...at } }));
    const { ids } = await store.sweep.scan({ segment: 0, segments: 1 });
    const strays = ids.filter((id) => id.startsWith('stray-')).sort();
    expect(strays).toEqual(['map', 'n', 'none', 'null', 's', 'set'].map((type) => `stray-${type}`));
    await dispatchInserts();
  });

  it('is attempted on arrival, however it was put, and done with one write', async () => {
    await client.send(new PutItemCommand({ TableName, Item: bare('put') }));
    const batch = { [TableName]: [{ PutRequest: { Item: bare('batch') } }] };
    await client.send(new BatchWriteItemCommand({ RequestItems: batch }));
    const outbox = ['order', 'outbox'].map((id) => ({ Put: { TableName, Item: bare(id) } }));
    await client.send(new TransactWriteItemsCommand({ TransactItems: outbox }));
    const Statement = `INSERT INTO "${TableName}" VALUE {'id': 'partiql', 'status': 'NEW', 'payload': '{}'}`;
    await client.send(new ExecuteStatementCommand({ Statement }));
    await dispatchInserts();
    const ids = ['put', 'batch', 'order', 'outbox', 'partiql'];
    expect(attempted.sort()).toEqual([...ids].sort());
    for (const id of ids) {
      expect(await get(id)).toMatchObject({ status: 'SUCCESS', attempts: 1 });
      expect(await lanesOf(id)).toEqual([undefined, undefined]);
    }
  });

  it('is not heard of again when the library has written it: neither a success nor a failure', async () => {
    process = () => {
      throw new Error('the ERP is down');
    };
    await client.send(new PutItemCommand({ TableName, Item: bare('fails') }));
    await dispatchInserts();
    expect(await get('fails')).toMatchObject({ status: 'ERROR', lane: 'default' });
    const attempts = attempted.length;
    await dispatchInserts();
    expect([attempted.length, returned]).toEqual([attempts, []]);
  });

  it('is settled whatever its payload is: bytes, sets, numbers of 38 digits', async () => {
    const payload = {
      M: {
        bytes: { B: new Uint8Array([0, 255]) },
        set: { NS: ['1', '2.5'] },
        large: { N: '12345678901234567890123456789012345678' },
        small: { N: '0.1' },
      },
    };
    await client.send(new PutItemCommand({ TableName, Item: { ...bare('types'), payload } }));
    await dispatchInserts();
    expect(attempted).toEqual(['types']);
    expect(await get('types')).toMatchObject({ status: 'SUCCESS' });
  });

  it('is looked at again later when its producer writes over it during its attempt', async () => {
    process = async ({ id }) => {
      attempted.push(id);
      await client.send(new PutItemCommand({ TableName, Item: bare('over', 'second') }));
    };
    await client.send(new PutItemCommand({ TableName, Item: bare('over', 'first') }));
    await dispatchInserts();
    expect(await get('over')).toMatchObject({ status: 'NEW', payload: 'second' });
    await dispatchInserts();
    expect(attempted).toEqual(['over']);
    expect(returned).toEqual([['over']]);
  });

  it('is repaired if it is invalid, and found by the next run', async () => {
    await client.send(new PutItemCommand({ TableName, Item: { id: { S: 'odd' }, status: { N: '1' } } }));
    await dispatchInserts();
    expect(attempted).toEqual([]);
    expect(await get('odd')).toMatchObject({ status: 'NEW', lane: 'default' });
    await worker({ queue: 'default' }, context);
    expect(attempted).toEqual(['odd']);
  });
});
