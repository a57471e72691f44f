import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { expect, it, vi } from 'vitest';
import { createDynamoDbClient } from '../../src/store/index.js';
import { startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { StreamPump, type StreamRecord } from '../../tools/src/local/streams/stream-pump.js';
import { type Change, lambdaRecord } from '../store/changes.js';
import { readStream } from '../store/stream.js';
import { createTables, newTableNames, tableDefinitions } from '../store/tables.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

/** Every type that DynamoDB has. */
const ITEM = {
  id: { S: 'a' },
  status: { S: 'NEW' },
  payload: {
    M: {
      text: { S: 'ü' },
      number: { N: '12345678901234567890123456789012345678' },
      bytes: { B: new Uint8Array([0, 255]) },
      list: { L: [{ BOOL: true }, { NULL: true }] },
    },
  },
  texts: { SS: ['x', 'y'] },
  numbers: { NS: ['1', '2.5'] },
  chunks: { BS: [new Uint8Array([1]), new Uint8Array([2])] },
};

async function writeInEveryWay(client: DynamoDBClient, TableName: string): Promise<void> {
  const Key = { id: { S: 'a' } };
  await client.send(new PutItemCommand({ TableName, Item: ITEM }));
  await client.send(new PutItemCommand({ TableName, Item: { ...ITEM, status: { S: 'new' } } }));
  const indexed = { ':lane': { S: 'default' }, ':due': { S: '2026-11-20T12:00:00.000Z' } };
  const UpdateExpression = 'SET lane = :lane, dueAt = :due';
  await client.send(
    new UpdateItemCommand({ TableName, Key, UpdateExpression, ExpressionAttributeValues: indexed }),
  );
  await client.send(new DeleteItemCommand({ TableName, Key }));
  const put = { PutRequest: { Item: { id: { S: 'b' } } } };
  await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: [put] } }));
}

/** The stream records of the local runtime. */
async function embeddedRecords(): Promise<StreamRecord[]> {
  const records: StreamRecord[] = [];
  const pump = new StreamPump({
    region: 'us-east-1',
    streamArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/local',
    keys: ['id'],
    viewType: 'NEW_IMAGE',
    batchSize: 100,
    bisects: false,
    matches: (record) => records.push(record) > 0,
    deliver: async () => ({}),
  });
  const dynamoDb = await startEmbeddedDynamoDb({ onChange: (change) => pump.add(change) });
  const client = createDynamoDbClient({ endpoint: dynamoDb.endpoint });
  try {
    await writeInEveryWay(client, (await createTables(client)).records);
    // The stream has a change once the item can be read; the writer may have its answer before.
    await vi.waitFor(() => expect(records).toHaveLength(5), { timeout: 120_000 });
  } finally {
    pump.stop();
    client.destroy();
    await dynamoDb.stop();
  }
  return records;
}

async function localRecords(): Promise<Change[]> {
  const endpoint = dynamoDbLocalEndpoint();
  const client = createDynamoDbClient({ endpoint });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const streams = new DynamoDBStreamsClient({ endpoint, region: 'us-east-1', credentials });
  const { records } = tableDefinitions(newTableNames());
  const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' } as const;
  await client.send(new CreateTableCommand({ ...records, StreamSpecification }));
  try {
    const table = records.TableName ?? '';
    await writeInEveryWay(client, table);
    return (await readStream(client, streams, table)).map((record) => lambdaRecord(record, 'arn'));
  } finally {
    client.destroy();
    streams.destroy();
  }
}

/** A change without the parts that no two streams have in common. */
function comparable({ dynamodb, ...record }: Change | StreamRecord) {
  const { SequenceNumber, ApproximateCreationDateTime, ...change } = dynamodb;
  expect(SequenceNumber).toMatch(/^\d+$/);
  expect(Math.abs(ApproximateCreationDateTime - Date.now() / 1000)).toBeLessThan(120);
  // The local runtime gives no size, and no code reads it. The region of DynamoDB Local is "ddblocal".
  const awsRegion = record.awsRegion.replace('ddblocal', 'us-east-1');
  return {
    ...record,
    awsRegion,
    eventID: '',
    eventSourceARN: '',
    dynamodb: { ...change, SizeBytes: undefined },
  };
}

it('the local runtime tells functions of changes as DynamoDB Streams does', async () => {
  const [embedded, local] = await Promise.all([embeddedRecords(), localRecords()]);
  expect(local.map(({ eventName }) => eventName)).toEqual(['INSERT', 'MODIFY', 'MODIFY', 'REMOVE', 'INSERT']);
  expect(embedded.map(comparable)).toEqual(local.map(comparable));
  const sequence = local.map(({ dynamodb }) => BigInt(dynamodb.SequenceNumber));
  expect(sequence).toEqual([...sequence].sort((one, other) => (one < other ? -1 : 1)));
});
