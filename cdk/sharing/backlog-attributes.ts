import { Stack } from 'aws-cdk-lib';
import { type ITable, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { type IRole, Role } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type IQueue as ISqsQueue, Queue as SqsQueue } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import * as z from 'zod';
import { parseOptions } from '../../src/support/validation.js';
import { key } from '../support/values.js';
import { PARAMETERS, parameterName } from '../tables/table-parameters.js';

/** A backlog of another stack or app, of the same account and region, by the names of its parts. */
export interface BacklogAttributes {
  /** The name of the table of records. */
  readonly tableName: string;

  /** The name of its control table. */
  readonly controlTableName: string;

  /**
   * The ARN of its redelivery queue, `backlog.redelivery.queueArn`.
   *
   * @default - records of added queues are not attempted on insertion, but when their rule finds them
   */
  readonly redeliveryQueueArn?: string | undefined;

  /**
   * The ARN of the role of its intake, `backlog.intakeRole.roleArn`. It is allowed to start the functions of added queues.
   *
   * @default - records of added queues are not attempted on insertion, but when their rule finds them
   */
  readonly intakeRoleArn?: string | undefined;

  /**
   * The customer managed key of its tables and its redelivery queue.
   *
   * @default - they have none
   */
  readonly encryptionKey?: IKey | undefined;
}

/** A backlog of the same account and region, by the stack that it is deployed with. */
export interface StackAttributes {
  /** The name of that CloudFormation stack. */
  readonly stackName: string;

  /**
   * Its `backlogName`.
   *
   * @default 'backlog'
   */
  readonly backlogName?: string | undefined;

  /**
   * The customer managed key of its tables and its redelivery queue.
   *
   * @default - they have none
   */
  readonly encryptionKey?: IKey | undefined;
}

const text = z.string().min(1);
const attributesShape = z.strictObject({
  tableName: text,
  controlTableName: text,
  redeliveryQueueArn: text.optional(),
  intakeRoleArn: text.optional(),
  encryptionKey: key.optional(),
});
const stackShape = z.strictObject({
  stackName: text,
  backlogName: text.default('backlog'),
  encryptionKey: key.optional(),
});

/** The parts of a backlog that is not made here. */
export interface ImportedParts {
  readonly table: ITable;
  readonly controlTable: ITable;
  readonly redelivery: ISqsQueue | undefined;
  readonly intakeRole: IRole | undefined;
  /** The same for all imports of one backlog. */
  readonly deployedAs: string;
}

/** @throws ConfigurationError naming the attribute that is missing or invalid */
export function importParts(
  scope: Construct,
  attributes: BacklogAttributes,
  deployedAs = `table ${attributes.tableName}`,
): ImportedParts {
  const read = parseOptions(attributesShape, attributes, 'fromBacklogAttributes');
  const { redeliveryQueueArn, intakeRoleArn, encryptionKey } = read;
  const table = (id: string, tableName: string) =>
    TableV2.fromTableAttributes(scope, id, { tableName, ...(encryptionKey && { encryptionKey }) });
  return {
    deployedAs,
    table: table('Records', read.tableName),
    controlTable: table('Control', read.controlTableName),
    redelivery: redeliveryQueueArn
      ? SqsQueue.fromQueueAttributes(scope, 'Redelivery', {
          queueArn: redeliveryQueueArn,
          ...(encryptionKey && { keyArn: encryptionKey.keyArn }),
        })
      : undefined,
    // Nothing is added to its policy: the functions that it starts allow that themselves.
    intakeRole: intakeRoleArn
      ? Role.fromRoleArn(scope, 'IntakeRole', intakeRoleArn, { mutable: false })
      : undefined,
  };
}

/**
 * Reads the attributes from the parameters that the stack has written.
 *
 * @throws ConfigurationError naming the attribute that is missing or invalid
 */
export function attributesOfStack(scope: Construct, given: StackAttributes): BacklogAttributes {
  const { stackName, backlogName, encryptionKey } = parseOptions(stackShape, given, 'fromStack');
  const value = (name: keyof typeof PARAMETERS) =>
    StringParameter.valueForStringParameter(
      Stack.of(scope),
      parameterName(stackName, backlogName, PARAMETERS[name]),
    );
  return {
    tableName: value('tableName'),
    controlTableName: value('controlTableName'),
    redeliveryQueueArn: value('redeliveryQueueArn'),
    intakeRoleArn: value('intakeRoleArn'),
    encryptionKey,
  };
}
