import { Annotations, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type GlobalSecondaryIndexPropsV2,
  type ITable,
  ProjectionType,
  type ReplicaTableProps,
  StreamViewType,
  TableEncryptionV2,
  type TablePropsV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct, IDependable } from 'constructs';
import type { ISharedBacklog } from '../props/shared-parts.js';
import { checkRegions, controlReplicas } from './regions.js';
import { checkGivenTables } from './table-checks.js';
import { claimName, claimTable, tableGuard } from './table-guards.js';

/** The sparse index of what is waiting. */
export const DUE_INDEX: GlobalSecondaryIndexPropsV2 = {
  indexName: 'due',
  partitionKey: { name: 'lane', type: AttributeType.STRING },
  sortKey: { name: 'dueAt', type: AttributeType.STRING },
  projectionType: ProjectionType.KEYS_ONLY,
};

export interface TableOptions {
  readonly encryptionKey?: IKey | undefined;
  readonly deletionProtection: boolean;
  readonly removalPolicy: RemovalPolicy;
  readonly tableName?: string | undefined;
  readonly controlTableName?: string | undefined;
  readonly backlogName: string;
  readonly primaryRegion?: string | undefined;
  readonly replicas?: readonly ReplicaTableProps[] | undefined;
  /** The members of groups are counted from the stream. */
  readonly groups: boolean;
  /** Records of a queue are attempted in order: the ends of records are read from the stream. */
  readonly hasOrder: boolean;
  readonly replicaKeyArns?: Readonly<Record<string, string>> | undefined;
}

/**
 * A table that is made here. As an interface, too: under `exactOptionalPropertyTypes` CDK's own class does not fit it.
 *
 * @inline
 */
export type CreatedTable = TableV2 & ITable;

export interface Tables {
  readonly records: ITable;
  readonly control: ITable;
  /** Each outcome is written by a request of its own, and no role has the right to more. Default: false. */
  readonly writesSingly?: boolean | undefined;
}

function recordsTable(scope: Construct, id: string, options: TableOptions): CreatedTable {
  const { tableName, backlogName, replicas, groups, hasOrder } = options;
  const isCompared = replicas !== undefined || groups || hasOrder;
  return newTable(scope, id, tableGuard(scope, id, { backlogName, tableName }), {
    ...common(options, tableName, replicas),
    partitionKey: { name: 'id', type: AttributeType.STRING },
    globalSecondaryIndexes: [DUE_INDEX],
    timeToLiveAttribute: 'expiresAt',
    // A global table has both images. Of a record that is deleted or replaced, the old one says which it was.
    dynamoStream: isCompared ? StreamViewType.NEW_AND_OLD_IMAGES : StreamViewType.NEW_IMAGE,
  });
}

/**
 * Leases, journals and the items of the queues: small, and kept apart so that the records' table holds records only.
 */
function controlTable(scope: Construct, id: string, options: TableOptions): CreatedTable {
  const { controlTableName: tableName, backlogName, primaryRegion, replicas } = options;
  // Without a primary region, the replicas of the records are copies to be read.
  const ofControl = replicas && primaryRegion !== undefined ? controlReplicas(replicas) : undefined;
  return newTable(scope, id, tableGuard(scope, id, { backlogName, tableName }), {
    ...common(options, tableName, ofControl),
    partitionKey: { name: 'key', type: AttributeType.STRING },
    // Jobs of operators and what undoes them, and the permits of keys. Nothing else there has the attribute.
    timeToLiveAttribute: 'expiresAt',
  });
}

type GivenTables = TableOptions & {
  readonly table?: ITable | undefined;
  readonly controlTable?: ITable | undefined;
};

/** Tables, and those of them that are made here. */
type MadeTables = Tables & {
  readonly created: { readonly [table in 'records' | 'control']: CreatedTable | undefined };
};

/** The tables of a Backlog: another Backlog's, given, or made here. */
export function tablesOf(
  scope: Construct,
  options: GivenTables & {
    readonly sharedBacklog?: ISharedBacklog | undefined;
    readonly groupWrites: boolean;
  },
): MadeTables {
  const { sharedBacklog: shared, groupWrites } = options;
  const writesSingly = !groupWrites;
  if (!shared) return { ...ownTables(scope, options), writesSingly };
  return {
    writesSingly,
    records: shared.table,
    control: shared.controlTable,
    created: { records: undefined, control: undefined },
  };
}

function ownTables(scope: Construct, options: GivenTables): MadeTables {
  const { table, controlTable: givenControl } = options;
  checkRegions(scope, options);
  warnOfRollback(scope, options);
  checkGivenTables(scope, options);
  claimName(scope, options.backlogName);
  if (table) claimTable(scope, table);
  const created = {
    records: table ? undefined : recordsTable(scope, 'Records', options),
    control: givenControl ? undefined : controlTable(scope, 'Control', options),
  };
  if (created.records) claimTable(scope, created.records);
  return {
    records: (table ?? created.records) as ITable,
    control: (givenControl ?? created.control) as ITable,
    created,
  };
}

/** Warns of tables that CloudFormation would delete when their first deployment fails, and cannot, as they are protected. */
function warnOfRollback(
  scope: Construct,
  { removalPolicy, deletionProtection, ...given }: GivenTables,
): void {
  const makesTable = given.table === undefined || given.controlTable === undefined;
  if (removalPolicy !== RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE || !deletionProtection || !makesTable)
    return;
  Annotations.of(scope).addWarningV2(
    'dynamo-backlog:rollback',
    'Backlog.removalPolicy: with RETAIN_ON_UPDATE_OR_DELETE, CloudFormation deletes the new tables if their first deployment ' +
      'fails, and "deletionProtection" keeps it from that: the stack stays in ROLLBACK_FAILED. Take RETAIN, or set ' +
      '"deletionProtection": false until the stack is deployed. See "A first deployment that failed" in docs/deployments.md of ' +
      'dynamo-backlog',
  );
}

function newTable(scope: Construct, id: string, guard: IDependable, props: TablePropsV2): CreatedTable {
  const table = new TableV2(scope, id, props) as CreatedTable;
  table.node.addDependency(guard);
  return table;
}

function common(
  { encryptionKey, replicaKeyArns, deletionProtection, removalPolicy }: TableOptions,
  tableName: string | undefined,
  replicas: readonly ReplicaTableProps[] | undefined,
): Partial<TablePropsV2> {
  return {
    ...(tableName !== undefined && { tableName }),
    billing: Billing.onDemand(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    encryption: encryptionKey
      ? TableEncryptionV2.customerManagedKey(encryptionKey, replicas && replicaKeyArns)
      : TableEncryptionV2.awsManagedKey(),
    ...(replicas && { replicas: [...replicas] }),
    removalPolicy,
    deletionProtection,
  };
}

const WITH_BOTH_IMAGES: readonly unknown[] = [StreamViewType.NEW_AND_OLD_IMAGES];
const WITH_NEW_IMAGES: readonly unknown[] = [StreamViewType.NEW_IMAGE, ...WITH_BOTH_IMAGES];

/** Tells whether the table has a stream that shows what was put. */
export function hasNewImages(records: ITable): boolean {
  return hasStreamOf(WITH_NEW_IMAGES, records);
}

/** Tells whether the table has a stream that shows what was put, and what was there before. */
export function hasBothImages(records: ITable): boolean {
  return hasStreamOf(WITH_BOTH_IMAGES, records);
}

/**
 * Tells whether the table has a stream of one of these types. A `TableV2` names the ARN of a stream that it does not have, so a
 * table of this app is asked for more; an imported one has only the ARN to look at.
 */
function hasStreamOf(viewTypes: readonly unknown[], records: ITable): boolean {
  if (records.tableStreamArn === undefined) return false;
  const { defaultChild: made } = records.node;
  if (made === undefined || !('streamSpecification' in made)) return true;
  const stream: { streamViewType?: unknown } | undefined = Stack.of(records).resolve(
    made.streamSpecification,
  );
  return viewTypes.includes(stream?.streamViewType);
}
