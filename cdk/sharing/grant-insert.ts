import { Annotations, Stack, Token } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable, type IPrincipal, type IResourceWithPolicy } from 'aws-cdk-lib/aws-iam';
import * as z from 'zod';
import { ConfigurationError } from '../../src/support/errors.js';
import { parseOptions } from '../../src/support/validation.js';
import { grantKeys, PUT_CONDITIONS } from '../tables/table-grants.js';

/** Limits of what a producer may insert. */
export interface GrantInsertOptions {
  /**
   * Patterns of the ids that the producer may insert, such as `["shop-*"]`: `*` is for any characters, `?` for one, and
   * `${aws:PrincipalTag/team}` and the like for what IAM knows of the producer. It cannot replace records with other
   * ids.
   *
   * @default - any id
   */
  readonly ids?: readonly string[] | undefined;
}

/** A pattern of ids, of the characters that IAM takes in a policy. */
const idPattern = z
  .string()
  .regex(/^[\u0020-\u00ff]+$/, 'expected a pattern of ids such as "shop-*", of characters up to U+00FF');
const optionsShape = z.strictObject({
  ids: z.array(idPattern).min(1, 'expected at least one pattern of ids').optional(),
});

/** Many in one request: PartiQL's INSERT, which replaces nothing and hands out nothing. */
const INSERT = 'dynamodb:PartiQLInsert';
/**
 * A condition for all values holds where there are none: were the ids of a statement not known, all would be allowed.
 */
const KEYS_ARE_KNOWN = { Null: { 'dynamodb:LeadingKeys': 'false' } };

type Conditions = Record<string, Record<string, unknown>>;

/** A put that does not hand out what it replaces. */
const PUT = 'dynamodb:PutItem';
/** A read of the record that has the same id: its fence, and no other attribute. */
const LOOK = 'dynamodb:GetItem';
const LOOK_CONDITIONS = {
  'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['id', 'rev'] },
  StringEqualsIfExists: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
};

/**
 * Grants the rights that a producer needs. One of another account needs them twice: from its own account, and from the
 * table's policy (and its key's), which this adds.
 *
 * @throws ConfigurationError for another account and a table under the AWS managed key, which that account may not use
 */
export function grantInsert(grantee: IGrantable, records: ITable, options: GrantInsertOptions = {}): Grant {
  const { ids } = parseOptions(optionsShape, options, 'grantInsert');
  const account = accountOf(grantee.grantPrincipal);
  const foreign = account !== undefined && mayDiffer(account, records.env.account);
  if (foreign) checkForeign(records, account);
  grantKeys(grantee, [records]);
  const keys: Conditions = ids ? { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ids } } : {};
  const allow = (action: string, conditions: Conditions) =>
    grant(grantee, records, action, { ...conditions, ...keys });
  return allow(PUT, PUT_CONDITIONS)
    .combine(allow(INSERT, ids ? KEYS_ARE_KNOWN : {}))
    .combine(allow(LOOK, LOOK_CONDITIONS));
}

function grant(grantee: IGrantable, records: ITable, action: string, conditions: Conditions): Grant {
  const options = { grantee, actions: [action], resourceArns: [records.tableArn], conditions };
  if (isService(grantee.grantPrincipal) || !hasPolicy(records)) return Grant.addToPrincipal(options);
  // The table itself: its own ARN in its own policy would be a circle.
  return Grant.addToPrincipalOrResource({ ...options, resource: records, resourceSelfArns: ['*'] });
}

function checkForeign(records: ITable, account: string): void {
  if (!hasPolicy(records)) warnOfImport(records, account);
  else if (isUnderManagedKey(records)) refuseManagedKey(records, account);
}

/** The account of a principal: for a role of this app that of its stack, for a principal by ARN the one in the ARN. */
function accountOf({ principalAccount, policyFragment }: IPrincipal): string | undefined {
  if (principalAccount !== undefined) return principalAccount;
  const [arn] = policyFragment.principalJson.AWS ?? [];
  return typeof arn === 'string' && !Token.isUnresolved(arn) ? arn.split(':')[4] : undefined;
}

/** Tells whether two accounts may differ. Two that are not known yet do not: both are the one that is deployed to. */
function mayDiffer(one: string, other: string): boolean {
  if (Token.isUnresolved(one) && Token.isUnresolved(other)) return false;
  return one !== other;
}

/** Tells whether it is a service, which writes to a table by a role and not as itself. */
function isService({ policyFragment }: IPrincipal): boolean {
  return 'Service' in policyFragment.principalJson;
}

/** Tells whether the table has a policy that can be changed here, as an imported table has not. */
function hasPolicy(records: ITable): records is ITable & IResourceWithPolicy {
  return records.node.defaultChild !== undefined && 'addToResourcePolicy' in records;
}

/**
 * Tells whether the table is under the key `aws/dynamodb`, whose policy is AWS's own: it lets in the account's own
 * principals only.
 */
function isUnderManagedKey(records: ITable): boolean {
  const { defaultChild: made } = records.node;
  if (records.encryptionKey !== undefined || made === undefined || !('sseSpecification' in made))
    return false;
  const encryption: { sseEnabled?: unknown } | undefined = Stack.of(records).resolve(made.sseSpecification);
  return encryption?.sseEnabled === true;
}

function refuseManagedKey(records: ITable, account: string): void {
  const reason =
    `a producer of the account ${account} cannot use the AWS managed key that encrypts the table: give the Backlog an ` +
    '"encryptionKey" of your own';
  const { account: own } = records.env;
  if (!Token.isUnresolved(own) && !Token.isUnresolved(account))
    throw new ConfigurationError(`grantInsert: ${reason}`);
  Annotations.of(records).addWarningV2(
    'dynamo-backlog:managed-key',
    `unless this stack is deployed to it, ${reason}`,
  );
}

function warnOfImport(records: ITable, account: string): void {
  Annotations.of(records).addWarningV2(
    'dynamo-backlog:imported-table-policy',
    `the policy of an imported table cannot be changed here: where the table is made, it has to allow the account ` +
      `${account} ${PUT}, ${INSERT} and ${LOOK}`,
  );
}
