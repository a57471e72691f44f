import { Annotations, Stack, Token } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable, type IPrincipal, type IResourceWithPolicy } from 'aws-cdk-lib/aws-iam';
import { ConfigurationError } from '../src/errors.js';
import { grantKeys } from './tables.js';

/** A conditional put, and a look at what is in its way. */
const ACTIONS = ['dynamodb:PutItem', 'dynamodb:GetItem'];

/**
 * What a producer needs. One of another account needs it twice: from its own account, and from the table's policy (and
 * its key's), which this adds.
 *
 * @throws ConfigurationError for another account and a table under the AWS managed key, which nobody else may use
 */
export function grantInsert(grantee: IGrantable, records: ITable): Grant {
  const account = accountOf(grantee.grantPrincipal);
  const foreign = account !== undefined && mayDiffer(account, records.env.account);
  const options = { grantee, actions: ACTIONS, resourceArns: [records.tableArn] };
  grantKeys(grantee, [records]);
  if (isService(grantee.grantPrincipal)) return Grant.addToPrincipal(options);
  if (!hasPolicy(records)) {
    if (foreign) warnOfImport(records, account);
    return Grant.addToPrincipal(options);
  }
  if (foreign && isUnderManagedKey(records)) refuseManagedKey(records, account);
  // The table itself: its own ARN in its own policy would be a circle.
  return Grant.addToPrincipalOrResource({ ...options, resource: records, resourceSelfArns: ['*'] });
}

/** Of a role of this app the one of its stack; of a principal by ARN the one in the ARN. */
function accountOf({ principalAccount, policyFragment }: IPrincipal): string | undefined {
  if (principalAccount !== undefined) return principalAccount;
  const [arn] = policyFragment.principalJson.AWS ?? [];
  return typeof arn === 'string' && !Token.isUnresolved(arn) ? arn.split(':')[4] : undefined;
}

/** False for two accounts that are not known yet: then they are the one that is deployed to. */
function mayDiffer(one: string, other: string): boolean {
  if (Token.isUnresolved(one) && Token.isUnresolved(other)) return false;
  return one !== other;
}

/** No service writes to a table as itself; it does so by a role. */
function isService({ policyFragment }: IPrincipal): boolean {
  return 'Service' in policyFragment.principalJson;
}

/** An imported table has none that could be changed here. */
function hasPolicy(records: ITable): records is ITable & IResourceWithPolicy {
  return records.node.defaultChild !== undefined && 'addToResourcePolicy' in records;
}

/** `aws/dynamodb`: its policy is AWS's own, and lets in the account's own principals only. */
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
      `${account} ${ACTIONS.join(' and ')}`,
  );
}
