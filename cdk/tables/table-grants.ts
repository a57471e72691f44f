import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { DUE_INDEX, type Tables } from './tables.js';

/** The keys of the items in which the monitor notes what it has read, and of the queues' owners: control-values.ts, registry.ts. */
const READING_PREFIX = 'reading#';
const REGISTRY_KEY = 'registry';
/** The keys of the items of groups, and of the active region. */
const GROUP_KEYS = 'group*';
const REGION_KEY = 'region';
/** The keys of the items of lines: src/lines/names.ts. */
const LINE_KEYS = 'line#*';
const LINE_PAGE_KEYS = 'line-page#*';
const HELD_LINES_KEYS = 'held-lines#*';

/** The right to write 25 changes by one request, each on its own condition. It creates no item. */
function groupWrites(writesSingly: boolean | undefined): string[] {
  return writesSingly ? [] : ['dynamodb:PartiQLUpdate'];
}

/** Grants what a run needs, and no more: it neither creates nor deletes items, and scans nothing. */
export function grantWork(grantee: IGrantable, { records, control, writesSingly }: Tables): Grant {
  const access = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem'];
  const allow = (actions: string[], resource: string) =>
    Grant.addToPrincipal({ grantee, actions, resourceArns: [resource] });
  const granted = allow([...access, ...groupWrites(writesSingly)], records.tableArn)
    .combine(allow(['dynamodb:Query'], `${records.tableArn}/index/${DUE_INDEX.indexName}`))
    .combine(allow(access, control.tableArn));
  grantKeys(grantee, [records, control]);
  return granted;
}

/** The condition of a put whose answer does not hold what it replaces. */
export const PUT_CONDITIONS = { StringEqualsIfExists: { 'dynamodb:ReturnValues': 'NONE' } };

/** Grants to put records, as a function does that inserts some. IAM has no right for new ones alone. */
export function grantPut(grantee: IGrantable, { tableArn }: ITable): void {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions: ['dynamodb:PutItem'], resources: [tableArn], conditions: PUT_CONDITIONS }),
  );
}

/** Grants what the intake needs: to look at records and to change them, and to claim them for that. */
export function grantIndexing(grantee: IGrantable, { records, control, writesSingly }: Tables): void {
  const access = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem'];
  grant(grantee, records, [...access, ...groupWrites(writesSingly)]);
  grant(grantee, control, access);
  grantKeys(grantee, [records, control]);
}

/** Grants what the intake needs beside `grantIndexing` for queues with order: to remove pages of lines that have passed. */
export function grantLinePages(grantee: IGrantable, { control }: Tables): void {
  grantItems(grantee, control, ['dynamodb:DeleteItem'], [LINE_PAGE_KEYS]);
}

/** Grants what the sweep needs: to see all records, and to note how far it has come. */
export function grantSweep(grantee: IGrantable, { records, control }: Tables): void {
  grant(grantee, records, ['dynamodb:Scan']);
  grant(grantee, control, ['dynamodb:GetItem', 'dynamodb:UpdateItem']);
  grantKeys(grantee, [records, control]);
}

/** Grants what the monitor needs: to see what waits, and to look at some of it. */
export function grantMonitor(grantee: IGrantable, { records, control }: Tables): void {
  const query = {
    actions: ['dynamodb:Query'],
    resources: [`${records.tableArn}/index/${DUE_INDEX.indexName}`],
  };
  grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement(query));
  grant(grantee, records, ['dynamodb:BatchGetItem']);
  grant(grantee, control, ['dynamodb:GetItem']);
  // It notes what it has counted and which queues are removed, and cannot touch a lease or the item of a queue.
  grantItems(grantee, control, ['dynamodb:UpdateItem'], [`${READING_PREFIX}*`, REGISTRY_KEY]);
  grantDecrypt(grantee, [records]);
  grantKeys(grantee, [control]);
}

/** Grants what the monitor needs beside `grantMonitor` for queues with order: to find the lines that are held. */
export function grantHeldLines(grantee: IGrantable, { control }: Tables): void {
  grantItems(grantee, control, ['dynamodb:BatchGetItem'], [LINE_KEYS, HELD_LINES_KEYS]);
  grantItems(grantee, control, ['dynamodb:UpdateItem', 'dynamodb:DeleteItem'], [HELD_LINES_KEYS]);
  // Once more are held than their note takes. A scan has no keys that a condition could name.
  grant(grantee, control, ['dynamodb:Scan']);
}

/** Grants what the function needs that counts the members of groups, and ends groups. It touches no other item of the control table. */
export function grantCounting(
  grantee: IGrantable,
  { records, control }: Tables,
  { readsRegion }: { readonly readsRegion: boolean },
): void {
  grant(grantee, records, ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem']);
  // The record of a group's first death.
  grantPut(grantee, records);
  grantGroupItems(grantee, control);
  if (readsRegion) grantItems(grantee, control, ['dynamodb:GetItem'], [REGION_KEY]);
  grantKeys(grantee, [records, control]);
}

/** Grants what the sweep needs to check groups, beside `grantSweep`: what counts them, and to find all. */
export function grantGroupChecks(grantee: IGrantable, tables: Tables): void {
  const { control } = tables;
  grantCounting(grantee, tables, { readsRegion: false });
  // A scan has no keys that a condition could name.
  grant(grantee, control, ['dynamodb:Scan']);
}

/** Grants to read and change the items of groups in the control table, and no others. */
export function grantGroupItems(grantee: IGrantable, { tableArn }: ITable): Grant {
  const actions = ['dynamodb:BatchGetItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'];
  return Grant.addToPrincipal({
    grantee,
    actions,
    resourceArns: [tableArn],
    conditions: ofKeys([GROUP_KEYS]),
  });
}

/** Conditions for requests that name these keys alone. */
export function ofKeys(keys: readonly string[]) {
  return {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
    // `ForAllValues` allows a request whose key is not known to IAM: this condition refuses it.
    Null: { 'dynamodb:LeadingKeys': 'false' },
  };
}

/** Grants what the overview on the dashboard needs: to count what waits, without seeing any of it. */
export function grantLook(grantee: IGrantable, { records, control }: Tables): void {
  const index = `${records.tableArn}/index/${DUE_INDEX.indexName}`;
  const query = new PolicyStatement({ actions: ['dynamodb:Query'], resources: [index] });
  grantee.grantPrincipal.addToPrincipalPolicy(query);
  grant(grantee, control, ['dynamodb:GetItem']);
  grantDecrypt(grantee, [records, control]);
}

/**
 * Grants what the overview's buttons need: to mark the item of a queue, and to read it again. They have no right on
 * records.
 */
export function grantPause(grantee: IGrantable, { control }: Tables): void {
  grant(grantee, control, ['dynamodb:GetItem', 'dynamodb:UpdateItem']);
  grantKeys(grantee, [control]);
}

/** Grants what `BacklogOperator` needs: to find, change and remove records, and to see which runs have them in flight. */
export function grantOperate(grantee: IGrantable, { records, control, writesSingly }: Tables): Grant {
  const access = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem', 'dynamodb:Scan'];
  const index = `${records.tableArn}/index/${DUE_INDEX.indexName}`;
  const allow = (actions: string[], resource: string) =>
    Grant.addToPrincipal({ grantee, actions, resourceArns: [resource] });
  const granted = allow([...access, ...groupWrites(writesSingly), 'dynamodb:DeleteItem'], records.tableArn)
    .combine(allow(access, control.tableArn))
    .combine(allow(['dynamodb:Query'], index));
  // Not part of the grant: the policy of a key takes principals that cannot be given any rights on the tables.
  grantKeys(grantee, [records, control]);
  return granted;
}

/** Grants the rights to read records by their ids, and the lists of those that wait or are dead. */
export function grantRead(grantee: IGrantable, records: ITable): Grant {
  const allow = (actions: string[], resource: string) =>
    Grant.addToPrincipal({ grantee, actions, resourceArns: [resource] });
  grantDecrypt(grantee, [records]);
  return allow(['dynamodb:GetItem', 'dynamodb:BatchGetItem'], records.tableArn).combine(
    allow(['dynamodb:Query'], `${records.tableArn}/index/${DUE_INDEX.indexName}`),
  );
}

/**
 * Grants the rights to read a record by its id, and to change it. IAM has no right for the one change that gives a
 * record up, nor for its end from outside.
 */
export function grantChange(grantee: IGrantable, records: ITable): Grant {
  grantKeys(grantee, [records]);
  return Grant.addToPrincipal({
    grantee,
    actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
    resourceArns: [records.tableArn],
  });
}

/** Grants requests that name items with these keys alone. */
function grantItems(
  grantee: IGrantable,
  { tableArn }: ITable,
  actions: string[],
  keys: readonly string[],
): void {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions, resources: [tableArn], conditions: ofKeys(keys) }),
  );
}

function grant(grantee: IGrantable, { tableArn }: ITable, actions: string[]): void {
  grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions, resources: [tableArn] }));
}

/** Grants the use of the tables' own keys; the AWS managed key needs no grant. */
export function grantKeys(grantee: IGrantable, tables: readonly ITable[]): void {
  const keys = new Set(tables.map((table) => table.encryptionKey));
  for (const key of keys) key?.grantEncryptDecrypt(grantee);
}

function grantDecrypt(grantee: IGrantable, tables: readonly ITable[]): void {
  const keys = new Set(tables.map((table) => table.encryptionKey));
  for (const key of keys) key?.grantDecrypt(grantee);
}
