import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IQueue as ISqsQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';

/** The parts of one backlog that several stacks share. */
export interface ISharedBacklog extends IConstruct {
  /** The table that holds the records. */
  readonly table: ITable;
  /** Leases, journals, the queues' own items, and the owner of each queue. */
  readonly controlTable: ITable;
  /** Events of runs that were lost, and ids of records that the intake looks at later; missing without an intake. */
  readonly redelivery: ISqsQueue | undefined;
  /** The role by which the intake starts functions for records that have just come; missing without an intake. */
  readonly intakeRole: IRole | undefined;
}

/** Props that belong to the Backlog with the tables. */
export const NOT_SHARED = [
  'table',
  'controlTable',
  'tableName',
  'controlTableName',
  'backlogName',
  'primaryRegion',
  'replicas',
  'replicaKeyArns',
  'deletionProtection',
  'removalPolicy',
  'intake',
  'sweep',
  'recordEvents',
  'groups',
  'recurring',
] as const;
