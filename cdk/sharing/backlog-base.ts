import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Grant, IGrantable, IRole } from 'aws-cdk-lib/aws-iam';
import type { IQueue as ISqsQueue } from 'aws-cdk-lib/aws-sqs';
import { BacklogMetrics } from '../monitoring/backlog-metrics.js';
import type { BacklogProps } from '../props/backlog-props.js';
import type { QueueProps } from '../props/queue-props.js';
import type { ISharedBacklog } from '../props/shared-parts.js';
import { grantChange, grantOperate, grantRead, grantWork } from '../tables/table-grants.js';
import type { Tables } from '../tables/tables.js';
import { grantGroups } from './grant-groups.js';
import { type GrantInsertOptions, grantInsert } from './grant-insert.js';
import { grantInsertInOrder } from './grant-insert-in-order.js';
import { type GrantRecurringOptions, grantRecurring } from './grant-recurring.js';

/** @inline */
type Metrics = Pick<BacklogMetrics, Extract<keyof BacklogMetrics, `metric${string}`>>;

/** A backlog that is made here, or one of another stack or app (`Backlog.fromBacklogAttributes`). */
export interface IBacklog extends ISharedBacklog, Metrics {
  /** Lets a producer insert records, and no more. See `Backlog.grantInsert`. */
  grantInsert(grantee: IGrantable, options?: GrantInsertOptions): Grant;
  /** Lets a producer insert records with numbers. See `Backlog.grantInsertInOrder`. */
  grantInsertInOrder(grantee: IGrantable): Grant;
  /** Lets a producer look records up. See `Backlog.grantRead`. */
  grantRead(grantee: IGrantable): Grant;
  /** Lets a producer cancel records. See `Backlog.grantCancel`. */
  grantCancel(grantee: IGrantable): Grant;
  /** Lets a service give attempts their ends from outside. See `Backlog.grantComplete`. */
  grantComplete(grantee: IGrantable): Grant;
  /** Lets an application have recurring records. See `Backlog.grantRecurring`. */
  grantRecurring(grantee: IGrantable, options?: GrantRecurringOptions): Grant;
  /** Lets an application have groups of records. See `Backlog.grantGroups`. */
  grantGroups(grantee: IGrantable): Grant;
  /** Grants what operators need. See `Backlog.grantOperate`. */
  grantOperate(grantee: IGrantable): Grant;
  /** Grants what a process needs that attempts records. See `Backlog.grantWork`. */
  grantWork(grantee: IGrantable): Grant;
  /**
   * Adds a queue, in the stack of this construct: with a function, rules and alarms of its own. For several queues that share
   * functions, make a `Backlog` with `sharedBacklog`.
   *
   * @throws ConfigurationError naming the option that is invalid
   */
  addQueue(name: string, props: QueueProps, options?: AddQueueOptions): IBacklog;
}

/** Props of the construct that is made around an added queue. */
export type AddQueueOptions = Omit<
  BacklogProps,
  | 'queues'
  | 'workers'
  | 'sharedBacklog'
  | 'table'
  | 'controlTable'
  | 'tableName'
  | 'controlTableName'
  | 'backlogName'
  | 'primaryRegion'
  | 'replicas'
  | 'replicaKeyArns'
  | 'deletionProtection'
  | 'removalPolicy'
  | 'intake'
  | 'sweep'
  | 'recurring'
  | 'groups'
>;

/** The rights and metrics that every backlog offers, wherever it is made. */
export abstract class BacklogBase extends BacklogMetrics implements IBacklog {
  abstract readonly controlTable: ITable;
  abstract readonly redelivery: ISqsQueue | undefined;
  abstract readonly intakeRole: IRole | undefined;
  /** Outcomes are written by a request each (the prop `groupWrites` is false), so that no right to more is granted. */
  protected abstract readonly writesSingly: boolean;

  abstract addQueue(name: string, props: QueueProps, options?: AddQueueOptions): IBacklog;

  /**
   * Lets a producer insert records: the rights that `BacklogClient` needs, or a plain `PutItem`. One of another account
   * gets them from the policies of the table and its key, and needs them from its own account as well. A service
   * principal gets none, as services write by a role: the grant's `assertSuccess()` tells.
   *
   * It may neither read records nor delete them. It may replace them, as every `PutItem` may, unless `ids` says which.
   *
   * @throws ConfigurationError for another account without an `encryptionKey`: it may not use the AWS managed one
   */
  grantInsert(grantee: IGrantable, options?: GrantInsertOptions): Grant {
    return grantInsert(grantee, this.table, options);
  }

  /**
   * Lets a producer insert records of queues with `order` by `RecordLines`, which numbers them: to put records, and to count the numbers of
   * lines in the control table. It may read lines, beside `grantRead` for their records.
   */
  grantInsertInOrder(grantee: IGrantable): Grant {
    return grantInsertInOrder(grantee, this.tables);
  }

  /**
   * Lets a producer of the same account look records up: `get` and `list` of `BacklogClient`. It sees their payloads.
   */
  grantRead(grantee: IGrantable): Grant {
    return grantRead(grantee, this.table);
  }

  /**
   * Lets a producer of the same account cancel records: `cancel` of `BacklogClient`. IAM cannot tell that change from
   * others, so the grantee could change any attribute of any record.
   */
  grantCancel(grantee: IGrantable): Grant {
    return grantChange(grantee, this.table);
  }

  /**
   * Lets a service of the same account give attempts their ends from outside: `complete`, `fail` and `heartbeat` of `BacklogClient`. IAM
   * cannot tell these changes from others, so the grantee could change any attribute of any record.
   */
  grantComplete(grantee: IGrantable): Grant {
    return grantChange(grantee, this.table);
  }

  /**
   * Lets an application of the same account have recurring records: `RecurringRecords`, whose schedules the function of the prop
   * `recurring` attempts. It may read and change all schedules, those of the CDK app too, and put and read records whose ids have
   * an `@`, unless `names` says which.
   *
   * A schedule may name any queue. The ids of its records begin with its name.
   */
  grantRecurring(grantee: IGrantable, options?: GrantRecurringOptions): Grant {
    return grantRecurring(grantee, this.table, options);
  }

  /**
   * Lets an application of the same account have groups of records: `RecordGroups`, whose members the function of the prop `groups`
   * counts. It may insert records, as with `grantInsert`, and read and change all of them: IAM cannot tell the changes of a group from
   * others.
   */
  grantGroups(grantee: IGrantable): Grant {
    return grantGroups(grantee, this.tables);
  }

  /**
   * Grants what operators need (`BacklogOperator`, `backlog redrive`, `stats`, `pause`, ...): to read all records, to
   * change and remove them, and to pause queues.
   */
  grantOperate(grantee: IGrantable): Grant {
    return grantOperate(grantee, this.tables);
  }

  /**
   * Grants what a process needs that attempts records (`backlog work`): the rights on both tables that the function of a queue
   * has. It may read and change all records, and can neither put nor delete one. To write logs is a right of its platform.
   */
  grantWork(grantee: IGrantable): Grant {
    return grantWork(grantee, this.tables);
  }

  private get tables(): Tables {
    return { records: this.table, control: this.controlTable, writesSingly: this.writesSingly };
  }
}
