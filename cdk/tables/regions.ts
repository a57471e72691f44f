import { Stack, Token } from 'aws-cdk-lib';
import type { ITable, ReplicaTableProps } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { ConfigurationError } from '../../src/support/errors.js';
import { show } from '../../src/support/validation.js';

/** The props of a Backlog that are about its regions. */
export interface RegionOptions {
  readonly primaryRegion?: string | undefined;
  readonly replicas?: readonly ReplicaTableProps[] | undefined;
  readonly encryptionKey?: object | undefined;
  readonly replicaKeyArns?: Readonly<Record<string, string>> | undefined;
  readonly table?: ITable | undefined;
  readonly controlTable?: ITable | undefined;
}

/**
 * Checks a Backlog that is in several regions: each has a stack of its own, and replicas of both tables.
 *
 * @throws ConfigurationError that says what is missing
 */
export function checkRegions(scope: Construct, options: RegionOptions): void {
  checkReplicaKeys(options);
  checkKeyRegion(scope, options);
  const { primaryRegion, replicas, table, controlTable } = options;
  if (primaryRegion === undefined) return;
  const { region: here } = Stack.of(scope);
  if (Token.isUnresolved(here)) {
    throw new ConfigurationError(
      `Backlog.primaryRegion: expected a stack that names its region, got one that may be in any: give the stack "env", such as ` +
        `env: { region: ${show(primaryRegion)} }`,
    );
  }
  if (here !== primaryRegion) {
    checkSecond(here, options);
  } else if (!controlTable && !replicas) {
    const of = table ? 'the control table, which needs them in the regions of "table"' : 'both tables';
    throw new ConfigurationError(
      `Backlog.replicas: expected the replicas of ${of}, as "primaryRegion" says that the backlog is in several regions: ` +
        "replicas: [{ region: 'eu-west-1' }]",
    );
  }
}

/** Refuses a new table with a key in a stack without a region. The CDK's own error names neither the option nor the way out. */
function checkKeyRegion(scope: Construct, { encryptionKey, table, controlTable }: RegionOptions): void {
  if (!encryptionKey || (table && controlTable) || !Token.isUnresolved(Stack.of(scope).region)) return;
  throw new ConfigurationError(
    'Backlog.encryptionKey: expected a stack that names its region, as the CDK makes a table with a key for a known region only, ' +
      'got one that may be in any: give the stack "env", such as env: { region: "eu-central-1" }',
  );
}

/** Checks the tables in another region than the primary one: replicas of the primary region's tables. */
function checkSecond(here: string, { primaryRegion, ...tables }: RegionOptions): void {
  for (const name of ['table', 'controlTable'] as const) {
    const { [name]: table } = tables;
    const other = table && [table.env.region, streamRegion(table)].find((region) => isOther(region, here));
    if (table && other === undefined) continue;
    throw new ConfigurationError(
      `Backlog.${name}: expected the replica in ${here}, as the tables are made in the primary region (${primaryRegion}): ` +
        "table: TableV2.fromTableAttributes(this, 'Records', { tableName, tableStreamArn }), " +
        `controlTable: TableV2.fromTableName(this, 'Control', controlTableName); got ${
          other === undefined ? `no "${name}"` : `a table or a stream in ${other}`
        }`,
    );
  }
}

function streamRegion({ tableStreamArn }: ITable): string | undefined {
  return tableStreamArn === undefined || Token.isUnresolved(tableStreamArn)
    ? undefined
    : tableStreamArn.split(':')[3];
}

function isOther(region: string | undefined, here: string): boolean {
  return region !== undefined && !Token.isUnresolved(region) && region !== here;
}

/** Checks that each replica has a key of its own, as a key is of one region. */
function checkReplicaKeys({ replicas = [], encryptionKey, replicaKeyArns }: RegionOptions): void {
  const keys = Object.keys(replicaKeyArns ?? {});
  if (replicaKeyArns && !encryptionKey) {
    throw new ConfigurationError(
      'Backlog.replicaKeyArns: expected beside an "encryptionKey" only, the key of the stack\'s own region, got no "encryptionKey"',
    );
  }
  if (!encryptionKey) return;
  const regions = replicas.map(({ region }) => region);
  if (keys.toSorted().join() === regions.toSorted().join()) return;
  throw new ConfigurationError(
    `Backlog.replicaKeyArns: expected the ARN of a key in the region of each replica (${regions.join(', ') || 'there is none'}) ` +
      `beside "encryptionKey", which is a key of one region, got ${keys.length === 0 ? 'none' : keys.join(', ')}`,
  );
}

/** The replicas of the control table: without what is about the index or the size of the table of records. */
export function controlReplicas(replicas: readonly ReplicaTableProps[]): ReplicaTableProps[] {
  return replicas.map(({ region, deletionProtection, tags }) => ({
    region,
    ...(deletionProtection !== undefined && { deletionProtection }),
    ...(tags && { tags }),
  }));
}
