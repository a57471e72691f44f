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
import { Grant, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct, IDependable } from 'constructs';
import { checkRegions, controlReplicas } from './regions.js';
import type { ISharedBacklog } from './shared-parts.js';
import { checkGivenTables } from './table-checks.js';
import { claimName, claimTable, tableGuard } from './table-guards.js';

/** The sparse index of what is waiting. */
const DUE_INDEX: GlobalSecondaryIndexPropsV2 = {
  indexName: 'due',
  partitionKey: { name: 'lane', type: AttributeType.STRING },
  sortKey: { name: 'dueAt', type: AttributeType.STRING },
  projectionType: ProjectionType.KEYS_ONLY,
};

/** The keys of the items in which the monitor notes what it has read, and of the queues' owners: control-values.ts, registry.ts. */
const READING_PREFIX = 'reading#';
const REGISTRY_KEY = 'registry';

export interface TableOptions {
  readonly encryptionKey?: IKey | undefined;
  readonly deletionProtection: boolean;
  readonly removalPolicy: RemovalPolicy;
  readonly tableName?: string | undefined;
  readonly controlTableName?: string | undefined;
  readonly backlogName: string;
  readonly primaryRegion?: string | undefined;
  readonly replicas?: readonly ReplicaTableProps[] | undefined;
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
}

function recordsTable(scope: Construct, id: string, options: TableOptions): CreatedTable {
  const { tableName, backlogName, replicas } = options;
  return newTable(scope, id, tableGuard(scope, id, { backlogName, tableName }), {
    ...common(options, tableName, replicas),
    partitionKey: { name: 'id', type: AttributeType.STRING },
    globalSecondaryIndexes: [DUE_INDEX],
    timeToLiveAttribute: 'expiresAt',
    // A global table has both images.
    dynamoStream: replicas ? StreamViewType.NEW_AND_OLD_IMAGES : StreamViewType.NEW_IMAGE,
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
  });
}

type GivenTables = TableOptions & {
  readonly table?: ITable | undefined;
  readonly controlTable?: ITable | undefined;
};

/** The tables of a Backlog: given, or made here. */
export function ownTables(
  scope: Construct,
  options: GivenTables,
): Tables & { readonly created: { readonly [table in keyof Tables]: CreatedTable | undefined } } {
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

/** CloudFormation deletes such tables when their first deployment fails; protected ones it cannot. */
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

/** Those of another Backlog. */
export function tablesOf({ table, controlTable }: ISharedBacklog): Tables {
  return { records: table, control: controlTable };
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

/** What a run needs, and no more: it neither creates nor deletes items, and scans nothing. */
export function grantWork(grantee: IGrantable, { records, control }: Tables): Grant {
  const access = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem'];
  const allow = (actions: string[], resource: string) =>
    Grant.addToPrincipal({ grantee, actions, resourceArns: [resource] });
  const granted = allow(access, records.tableArn)
    .combine(allow(['dynamodb:Query'], `${records.tableArn}/index/${DUE_INDEX.indexName}`))
    .combine(allow(access, control.tableArn));
  grantKeys(grantee, [records, control]);
  return granted;
}

const WITH_NEW_IMAGES: readonly unknown[] = [StreamViewType.NEW_IMAGE, StreamViewType.NEW_AND_OLD_IMAGES];

/**
 * Whether the table has a stream that shows what was put. A `TableV2` names the ARN of a stream that it does not have,
 * so a table of this app is asked for more; of an imported one the ARN is all there is to see.
 */
export function hasNewImages(records: ITable): boolean {
  if (records.tableStreamArn === undefined) return false;
  const { defaultChild: made } = records.node;
  if (made === undefined || !('streamSpecification' in made)) return true;
  const stream: { streamViewType?: unknown } | undefined = Stack.of(records).resolve(
    made.streamSpecification,
  );
  return WITH_NEW_IMAGES.includes(stream?.streamViewType);
}

/** What the intake needs: to look at records and to change them, and to claim them for that. */
export function grantPlace(grantee: IGrantable, { records, control }: Tables): void {
  const access = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem'];
  grant(grantee, records, access);
  grant(grantee, control, access);
  grantKeys(grantee, [records, control]);
}

/** What the sweep needs: to see all records, and to note how far it has come. */
export function grantSweep(grantee: IGrantable, { records, control }: Tables): void {
  grant(grantee, records, ['dynamodb:Scan']);
  grant(grantee, control, ['dynamodb:GetItem', 'dynamodb:UpdateItem']);
  grantKeys(grantee, [records, control]);
}

/** What the monitor needs: to see what waits, and to look at some of it. */
export function grantMonitor(grantee: IGrantable, { records, control }: Tables): void {
  const query = {
    actions: ['dynamodb:Query'],
    resources: [`${records.tableArn}/index/${DUE_INDEX.indexName}`],
  };
  grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement(query));
  grant(grantee, records, ['dynamodb:BatchGetItem']);
  grant(grantee, control, ['dynamodb:GetItem']);
  // It notes what it has counted and which queues are removed, and cannot touch a lease or the item of a queue.
  const note = new PolicyStatement({
    actions: ['dynamodb:UpdateItem'],
    resources: [control.tableArn],
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${READING_PREFIX}*`, REGISTRY_KEY] },
      // Without it, a request whose key is not known to IAM would be allowed.
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  });
  grantee.grantPrincipal.addToPrincipalPolicy(note);
  grantDecrypt(grantee, [records]);
  grantKeys(grantee, [control]);
}

/** What the overview on the dashboard needs: to count what waits, without seeing any of it. */
export function grantLook(grantee: IGrantable, { records, control }: Tables): void {
  const index = `${records.tableArn}/index/${DUE_INDEX.indexName}`;
  const query = new PolicyStatement({ actions: ['dynamodb:Query'], resources: [index] });
  grantee.grantPrincipal.addToPrincipalPolicy(query);
  grant(grantee, control, ['dynamodb:GetItem']);
  grantDecrypt(grantee, [records, control]);
}

/** What its buttons need: to mark the item of a queue, and to read it again. Records are no matter of theirs. */
export function grantPause(grantee: IGrantable, { control }: Tables): void {
  grant(grantee, control, ['dynamodb:GetItem', 'dynamodb:UpdateItem']);
  grantKeys(grantee, [control]);
}

/** What `BacklogOperator` needs: to find, change and remove records, and to see which runs have them in flight. */
export function grantOperate(grantee: IGrantable, { records, control }: Tables): Grant {
  const access = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem', 'dynamodb:Scan'];
  const index = `${records.tableArn}/index/${DUE_INDEX.indexName}`;
  const allow = (actions: string[], resource: string) =>
    Grant.addToPrincipal({ grantee, actions, resourceArns: [resource] });
  const granted = allow([...access, 'dynamodb:DeleteItem'], records.tableArn)
    .combine(allow(access, control.tableArn))
    .combine(allow(['dynamodb:Query'], index));
  // Not part of the grant: the policy of a key takes principals that cannot be given any rights on the tables.
  grantKeys(grantee, [records, control]);
  return granted;
}

function grant(grantee: IGrantable, { tableArn }: ITable, actions: string[]): void {
  grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions, resources: [tableArn] }));
}

/** Grants the use of the tables' own keys; the AWS managed key needs no grant. */
export function grantKeys(grantee: IGrantable, tables: readonly ITable[]): void {
  const keys = new Set(tables.map((table) => table.encryptionKey));
  for (const key of keys) key?.grantEncryptDecrypt(grantee);
}

export function grantDecrypt(grantee: IGrantable, tables: readonly ITable[]): void {
  const keys = new Set(tables.map((table) => table.encryptionKey));
  for (const key of keys) key?.grantDecrypt(grantee);
}
