import { createHash } from 'node:crypto';
import { Stack } from 'aws-cdk-lib';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { ConfigurationError } from '../../src/support/errors.js';
import { deployedStack, parameterName } from './table-parameters.js';

/**
 * Makes a guard against the replacement of a table. A table that CloudFormation would replace with an empty one comes
 * with another logical id, or with another name. The guard then gets another logical id as well, under the same
 * physical name: CloudFormation cannot create it beside the one that there is, and the deployment fails before anything
 * is changed.
 *
 * @param id of the table's construct
 * @param tableName if it is fixed
 */
export function tableGuard(
  scope: Construct,
  id: string,
  { backlogName, tableName }: { readonly backlogName: string; readonly tableName?: string | undefined },
): StringParameter {
  const stack = Stack.of(scope);
  const suffix =
    tableName === undefined
      ? ''
      : createHash('sha256')
          .update(JSON.stringify(stack.resolve(tableName)))
          .digest('hex')
          .slice(0, 8);
  const [what, name] = id === 'Control' ? ['ControlTable', 'control-table'] : ['Table', 'table'];
  // CloudFormation names the logical id where it fails, and not always the parameter.
  return new StringParameter(scope, `GuardAgainstEmpty${what}${suffix}`, {
    parameterName: parameterName(
      deployedStack(scope).stackName,
      backlogName,
      `guard-against-an-empty-${name}`,
    ),
    simpleName: false,
    stringValue: scope.node.path,
    description:
      'If it "already exists", this deployment would go on with a new, empty table. See docs/deployments.md of dynamo-backlog',
  });
}

const NAMED = Symbol.for('dynamo-backlog.name');

/** @throws ConfigurationError if another Backlog of the stack has the same name */
export function claimName(scope: Construct, backlogName: string): void {
  const stack = deployedStack(scope);
  const taken = stack.node
    .findAll()
    .filter((one) => one !== scope && (one as { [NAMED]?: unknown })[NAMED] === backlogName)
    .find((one) => deployedStack(one) === stack);
  if (taken) {
    throw new ConfigurationError(
      `Backlog.backlogName: expected another name than the one of ${taken.node.path}, as both are in the same stack, ` +
        `got "${backlogName}"`,
    );
  }
  Object.defineProperty(scope, NAMED, { value: backlogName });
}

const OF_TABLE = Symbol.for('dynamo-backlog.table');

/** @throws ConfigurationError if another Backlog of the app has a control table for this table of records */
export function claimTable(scope: Construct, table: object & { readonly [OF_TABLE]?: Construct }): void {
  const { [OF_TABLE]: other } = table;
  if (other) {
    throw new ConfigurationError(
      `Backlog.table: expected a table that no other Backlog has, got the one of ${other.node.path}: two control tables would ` +
        'not see each other\'s leases. Give these queues a "sharedBacklog" in place of "table"',
    );
  }
  Object.defineProperty(table, OF_TABLE, { value: scope });
}
