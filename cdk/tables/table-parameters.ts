import { Stack } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IQueue as ISqsQueue } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct, type IConstruct } from 'constructs';

/** The parameters of Systems Manager that a stack writes about its backlog, below `/dynamo-backlog/STACK/NAME/`. */
export const PARAMETERS = {
  tableName: 'table',
  controlTableName: 'control-table',
  redeliveryQueueArn: 'redelivery-queue-arn',
  intakeRoleArn: 'intake-role-arn',
} as const;

export function parameterName(stackName: string, backlogName: string, name: string): string {
  return `/dynamo-backlog/${stackName}/${backlogName}/${name}`;
}

/**
 * The stack that is deployed. CloudFormation generates the name of a stack that is nested in it, and another name when that one
 * is replaced.
 */
export function deployedStack(scope: IConstruct): Stack {
  let stack = Stack.of(scope);
  while (stack.nestedStackParent) stack = stack.nestedStackParent;
  return stack;
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
  const ofBacklog = (name: string) => parameterName(deployedStack(scope).stackName, backlogName, name);
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
