// The store loads them at their first call, which takes real time: virtual time would not wait for it.
import '../../src/store/dynamodb/group-writes.js';
import '../../src/store/dynamodb/limits.js';
import { isDeepStrictEqual } from 'node:util';
import type { _Record } from '@aws-sdk/client-dynamodb-streams';
import type { Item } from '../../src/record/index.js';
import { DynamoDbOperatorSharedItems } from '../../src/store/dynamodb/operator-shared-items.js';
import { tablesOf } from '../../src/store/dynamodb/store.js';
import { createDynamoDbClient, type DynamoDBClient, DynamoDbOperatorStore } from '../../src/store/index.js';
import type { Clock } from '../../src/support/clock.js';
import { type Change, lambdaRecord } from './changes.js';
import { quietOf } from './quiet.js';
import { SynchronousDynamoDb } from './synchronous-dynamodb.js';
import { newTableNames, type TestTables, tableDefinitions } from './tables.js';
import type { StoreForTest, TestStore } from './test-store-types.js';

let connection: ReturnType<typeof connect> | undefined;

/** A store on fresh tables, of a DynamoDB that has streams. */
export function dynamoDbStoreForTest(clock: Clock, endpoint: string): StoreForTest {
  connection ??= connect(endpoint);
  const { client, direct, quiet } = connection;
  const tables = newTableNames();
  const { records, control } = tableDefinitions(tables);
  direct.send('CreateTable', records);
  direct.send('CreateTable', control);
  const store = new DynamoDbTestStore(client, direct, tables, clock);
  return { store, changesOf: (write) => store.changesOf(write), quiet };
}

function connect(endpoint: string) {
  const client = createDynamoDbClient({ endpoint });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const direct = new SynchronousDynamoDb({ endpoint, region: 'us-east-1', credentials });
  return { client, direct, quiet: quietOf(client) };
}

class DynamoDbTestStore extends DynamoDbOperatorStore implements TestStore {
  readonly groups: DynamoDbOperatorSharedItems;
  /** The number of changes that were read from each shard. */
  private readonly reported = new Map<string, number>();
  private puts = 0;
  private hasStream = false;

  constructor(
    client: DynamoDBClient,
    private readonly direct: SynchronousDynamoDb,
    private readonly names: TestTables,
    clock: Clock,
  ) {
    super({ client, tables: names, clock });
    this.groups = new DynamoDbOperatorSharedItems(tablesOf({ client, tables: names, clock }).control);
  }

  items(): Item[] {
    const items: Item[] = [];
    let ExclusiveStartKey: unknown;
    do {
      const scan = { TableName: this.names.records, ConsistentRead: true, ExclusiveStartKey };
      const { Items, LastEvaluatedKey } = this.direct.send('Scan', scan);
      items.push(...(Items as Item[]));
      ExclusiveStartKey = LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
    return items.sort((one, other) => (String(one.id) < String(other.id) ? -1 : 1));
  }

  put(item: Item): void {
    const request = { TableName: this.names.records, Item: { ...item }, ReturnValues: 'ALL_OLD' };
    const { Attributes } = this.direct.send('Put', request);
    // Of an item that is put as it was, the stream tells nothing.
    if (!isDeepStrictEqual(Attributes, definedOf(item))) this.puts++;
  }

  delete(id: string): void {
    this.direct.send('Delete', { TableName: this.names.records, Key: { id } });
  }

  changesOf(write: () => void): Change[] {
    this.createStream();
    this.readOn();
    this.puts = 0;
    write();
    const changes: Change[] = [];
    while (changes.length < this.puts) changes.push(...this.readOn());
    return changes;
  }

  /** Creates the stream for a test that reads it: with each entry of all streams, DynamoDB Local gets slower. */
  private createStream(): void {
    if (this.hasStream) return;
    this.hasStream = true;
    const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' };
    this.direct.send('UpdateTable', { TableName: this.names.records, StreamSpecification });
  }

  /** Changes in the stream since the last call. */
  private readOn(): Change[] {
    const { Table } = this.direct.send('DescribeTable', { TableName: this.names.records });
    const { LatestStreamArn: StreamArn = '' } = Table as { LatestStreamArn?: string };
    const { StreamDescription } = this.direct.send('DescribeStream', { StreamArn });
    const { Shards = [] } = StreamDescription as { Shards?: { ShardId: string }[] };
    return Shards.flatMap(({ ShardId }) => {
      const from = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
      const { ShardIterator } = this.direct.send('GetShardIterator', from);
      const { Records = [] } = this.direct.send('GetRecords', { ShardIterator }) as { Records?: _Record[] };
      const reported = this.reported.get(ShardId) ?? 0;
      this.reported.set(ShardId, Records.length);
      return Records.slice(reported).map((record) => lambdaRecord(record, StreamArn));
    });
  }
}

function definedOf(item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
}
