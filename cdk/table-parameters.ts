import { createHash } from 'node:crypto';
import { Stack } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IQueue as ISqsQueue } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { ConfigurationError } from '../src/errors.js';

/** What a stack writes into Systems Manager about its backlog, below `/dynamo-backlog/STACK/NAME/`. */
export const PARAMETERS = {
  tableName: 'table',
  controlTableName: 'control-table',
  redeliveryQueueArn: 'redelivery-queue-arn',
  intakeRoleArn: 'intake-role-arn',
} as const;

export function parameterName(stackName: string, backlogName: string, name: string): string {
  return `/dynamo-backlog/${stackName}/${backlogName}/${name}`;
}

interface Described {
  readonly table: ITable;
  readonly controlTable: ITable;
  readonly redelivery: ISqsQueue | undefined;
  readonly intakeRole: IRole | undefined;
}

/**
 * Writes down how the backlog's parts are called, for other stacks and for people. And which control table a table has: a
 * second Backlog with another one fails at its deployment, as the leases of the two would not see each other.
 */
export function addParameters(scope: Construct, parts: Described, backlogName: string): void {
  const { table, controlTable, redelivery, intakeRole } = parts;
  const inner = new Construct(scope, 'Parameters');
  const write = (id: string, name: string, stringValue: string, description: string) =>
    new StringParameter(inner, id, {
      parameterName: name,
      simpleName: false,
      stringValue,
      description,
    });
  const ofBacklog = (name: string) => parameterName(Stack.of(scope).stackName, backlogName, name);
  write('Table', ofBacklog(PARAMETERS.tableName), table.tableName, 'The records of a backlog');
  write(
    'ControlTable',
    ofBacklog(PARAMETERS.controlTableName),
    controlTable.tableName,
    'Leases and the state of its queues',
  );
  write(
    'ControlOfTable',
    `/dynamo-backlog-tables/${table.tableName}/control-table`,
    controlTable.tableName,
    'The one control table of this table of records: other stacks add queues with sharedBacklog',
  );
  if (!redelivery || !intakeRole) return;
  write('Redelivery', ofBacklog(PARAMETERS.redeliveryQueueArn), redelivery.queueArn, 'What the intake reads');
  write('IntakeRole', ofBacklog(PARAMETERS.intakeRoleArn), intakeRole.roleArn, 'What starts first attempts');
}

/**
 * A table that CloudFormation would replace with an empty one comes with another logical id, or with another name. The guard
 * then gets another logical id as well, under the same physical name: CloudFormation cannot create it beside the one that
 * there is, and the deployment fails before anything is changed.
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
  return new StringParameter(scope, `GuardOf${id}${suffix}`, {
    parameterName: parameterName(
      stack.stackName,
      backlogName,
      `guard-against-an-empty-${id === 'Control' ? 'control-table' : 'table'}`,
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
  const taken = Stack.of(scope)
    .node.findAll()
    .find((one) => one !== scope && (one as { [NAMED]?: unknown })[NAMED] === backlogName);
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
