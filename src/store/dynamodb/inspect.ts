import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { translated } from './errors.js';
import { DUE_INDEX } from './pages.js';

export interface KeyFact {
  readonly name: string;
  readonly role: 'HASH' | 'RANGE';
  readonly type: string;
}

export interface IndexFact {
  readonly name: string;
  readonly keys: readonly KeyFact[];
  /** The projection, such as `KEYS_ONLY`. */
  readonly projection: string;
  /** It is active and complete. */
  readonly ready: boolean;
  /** Number of items in it, and their bytes, as DynamoDB last counted them. */
  readonly itemCount: number;
  readonly bytes: number;
}

/** The description of a table, as far as the library needs it. */
export interface TableFacts {
  readonly name: string;
  readonly keys: readonly KeyFact[];
  readonly indexes: readonly IndexFact[];
  readonly dueIndex?: IndexFact | undefined;
  /** Number of items as DynamoDB last counted them: some hours ago, in AWS. */
  readonly itemCount: number;
  readonly bytes: number;
  /** The time of its creation, epoch milliseconds. `undefined`: an emulator does not say. */
  readonly createdAt?: number | undefined;
  /** Read and write units per second; absent: on demand. */
  readonly provisioned?: { readonly reads: number; readonly writes: number } | undefined;
  /** The stream. Absent: the table has none. */
  readonly stream?: { readonly arn: string; readonly viewType: string } | undefined;
  /** No request can delete the table. `undefined`: an emulator does not say. */
  readonly deletionProtection?: boolean | undefined;
}

/** @throws StoreError if the table is not there, or may not be looked at */
export async function describeTable(client: DynamoDBClient, name: string): Promise<TableFacts> {
  const { Table: table = {} } = await translated('DescribeTable', name, () =>
    client.send(new DescribeTableCommand({ TableName: name })),
  );
  const types = new Map(
    (table.AttributeDefinitions ?? []).map((one) => [one.AttributeName, one.AttributeType]),
  );
  const keysOf = (schema: typeof table.KeySchema) =>
    (schema ?? []).map(
      ({ AttributeName: key = '', KeyType: role = 'HASH' }): KeyFact => ({
        name: key,
        role,
        type: types.get(key) ?? '?',
      }),
    );
  const indexes = (table.GlobalSecondaryIndexes ?? []).map(
    (index): IndexFact => ({
      name: index.IndexName ?? '?',
      keys: keysOf(index.KeySchema),
      projection: index.Projection?.ProjectionType ?? '?',
      ready: (index.IndexStatus ?? 'ACTIVE') === 'ACTIVE' && index.Backfilling !== true,
      itemCount: index.ItemCount ?? 0,
      bytes: index.IndexSizeBytes ?? 0,
    }),
  );
  const { ReadCapacityUnits: reads = 0, WriteCapacityUnits: writes = 0 } = table.ProvisionedThroughput ?? {};
  const onDemand = table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST' || writes === 0;
  const {
    LatestStreamArn: arn,
    StreamSpecification: { StreamEnabled: streams, StreamViewType: viewType } = {},
  } = table;
  return {
    name,
    keys: keysOf(table.KeySchema),
    indexes,
    dueIndex: indexes.find((index) => index.name === DUE_INDEX),
    itemCount: table.ItemCount ?? 0,
    bytes: table.TableSizeBytes ?? 0,
    createdAt: table.CreationDateTime?.getTime(),
    provisioned: onDemand ? undefined : { reads, writes },
    stream: streams && arn !== undefined && viewType !== undefined ? { arn, viewType } : undefined,
    deletionProtection: table.DeletionProtectionEnabled,
  };
}

/** Reads the attribute that items expire by; `null`: they do not. `undefined`: it cannot be found out. */
export async function describeExpiry(
  client: DynamoDBClient,
  name: string,
): Promise<string | null | undefined> {
  const answer = await client.send(new DescribeTimeToLiveCommand({ TableName: name })).catch(() => undefined);
  const { TimeToLiveStatus: status, AttributeName: attribute } = answer?.TimeToLiveDescription ?? {};
  if (status === undefined) return undefined;
  return status.startsWith('ENABL') ? (attribute ?? null) : null;
}

/** Tells whether the table can be brought back to any second of the last weeks. `undefined`: it cannot be found out. */
export async function hasPointInTimeRecovery(
  client: DynamoDBClient,
  name: string,
): Promise<boolean | undefined> {
  const answer = await client
    .send(new DescribeContinuousBackupsCommand({ TableName: name }))
    .catch(() => undefined);
  const status =
    answer?.ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
  return status === undefined ? undefined : status === 'ENABLED';
}
