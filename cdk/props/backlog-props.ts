import type { Duration, RemovalPolicy, TimeZone } from 'aws-cdk-lib';
import type { ITable, ReplicaTableProps, Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { SystemLogLevel, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { AlarmActions } from './alarm-props.js';
import type { FunctionProps } from './function-props.js';
import type { IntakeProps } from './intake-props.js';
import type { QueueProps } from './queue-props.js';
import type { ISharedBacklog } from './shared-parts.js';
import type { WorkerProps } from './worker-props.js';

/**
 * The classes as well: under `exactOptionalPropertyTypes` they do not fit the CDK's own interface.
 *
 * @inline
 */
type AnyTable = ITable | TableV2 | Table;

/** Props of a `Backlog`. Only `queues` is required. */
export interface BacklogProps extends FunctionProps {
  /**
   * The queues by name: letters, digits, `_`, `.` and `-`, at most 128. Producers name one in the record's `queue`; without
   * it, the queue is `default`.
   */
  readonly queues: Readonly<Record<string, QueueProps>>;

  /**
   * Functions that serve several queues each, by names that you choose (not `external`). The `worker` of a queue names its function. One
   * rule polls those queues of a worker that retry per record, together and by their weights.
   *
   * @default - each queue has a function of its own, or the built-in delivery
   */
  readonly workers?: Readonly<Record<string, WorkerProps>> | undefined;

  /**
   * An existing table of records. It has the partition key `id` (S), the index `due` (`lane` S, `dueAt` S, keys only), the
   * TTL attribute `expiresAt` and, for the intake, a stream with new images.
   *
   * @default - a new table: on demand, point-in-time recovery, encrypted, kept when the stack is deleted
   */
  readonly table?: AnyTable | undefined;

  /**
   * An existing control table of `table`, with the partition key `key` (S), such as a restored one. It holds the leases and the
   * state of the queues of this table of records, and of no other.
   *
   * @default - a new table, like that of the records
   */
  readonly controlTable?: AnyTable | undefined;

  /**
   * The Backlog whose tables and intake these queues use, of this app or from `Backlog.fromBacklogAttributes`. This one then has
   * functions, rules and alarms, and neither tables nor intake, sweep or monitor: those of the shared Backlog look after its
   * queues as well. Each queue belongs to one stack.
   *
   * @default - it has tables and an intake of its own
   */
  readonly sharedBacklog?: ISharedBacklog | undefined;

  /**
   * Whether another stack may own its queues: its runs then do nothing, and raise no alarm, until `backlog transfer` gives it a
   * queue (blue/green). Without it, such a run fails.
   *
   * @default false
   */
  readonly standby?: boolean | undefined;

  /**
   * Names this Backlog within its stack: 1 to 64 letters, digits, `_`, `.` and `-`. Two Backlogs with tables in one stack need
   * different ones. While it stays the same, a deployment fails that would go on with new, empty tables, such as after a
   * change of the construct's id or of `tableName`. Another name says that this is intended.
   *
   * @default 'backlog'
   */
  readonly backlogName?: string | undefined;

  /**
   * The region whose functions attempt records, such as `'eu-central-1'`, where the tables have replicas in others; until
   * `backlog failover` makes another one active. Each region has a stack of its own that names it, with the same queues. That of
   * the primary region makes the tables, with `replicas`. The others have the replicas as `table` and `controlTable`.
   *
   * @default - the backlog is in one region
   */
  readonly primaryRegion?: string | undefined;

  /**
   * Replicas of the new table of records in other regions. The stack must name its region then. With `primaryRegion`, a new control
   * table has replicas in the same regions, with the same deletion protection and tags. Without it there are none: the replicas of
   * the records are copies to be read.
   *
   * @default - none
   */
  readonly replicas?: readonly ReplicaTableProps[] | undefined;

  /**
   * The ARNs of KMS keys by the regions of `replicas`: each replica is encrypted with one of its own. Required with
   * `encryptionKey` and `replicas`.
   *
   * @default - the AWS managed key `aws/dynamodb` of each region
   */
  readonly replicaKeyArns?: Readonly<Record<string, string>> | undefined;

  /**
   * Whether the intake reads the table's stream, and attempts or indexes records that were put without `lane` and `dueAt`.
   * With it, any service that can put `{ id, status, payload }` is a producer. Settings in place of `true` say how.
   *
   * @default true
   */
  readonly intake?: boolean | IntakeProps | undefined;

  /**
   * Whether a function reads the whole table once a day to find records that the intake was not notified of, and dead ones
   * that were set to `NEW` by hand. It costs 0.5 read units per 4 KB.
   *
   * @default - true where there is an intake
   */
  readonly sweep?: boolean | undefined;

  /**
   * A customer managed key for all that is made here: tables, SQS queues, log groups, and the variables of functions. All roles,
   * CloudWatch Logs and EventBridge get the right to use it. The policy of an imported key cannot be changed, which a warning says.
   * The stack of new tables must name its region then, as replicas have keys of their own: `replicaKeyArns`.
   *
   * @default - keys of AWS: `aws/dynamodb`, `aws/lambda`, and those of SQS and CloudWatch Logs
   */
  readonly encryptionKey?: IKey | undefined;

  /**
   * Protects the new tables from deletion by any user.
   *
   * @default true, with `removalPolicy: DESTROY` false
   */
  readonly deletionProtection?: boolean | undefined;

  /**
   * What happens to the new tables when they leave the stack: `RETAIN`, `RETAIN_ON_UPDATE_OR_DELETE`, or `DESTROY` with all
   * records.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy | undefined;

  /**
   * The name of the new table of records: 3 to 255 letters, digits, `_`, `.` and `-`. Not beside `table`.
   *
   * @default - CloudFormation's, so that several stacks can live side by side
   */
  readonly tableName?: string | undefined;

  /**
   * The name of the control table, likewise.
   *
   * @default - CloudFormation's
   */
  readonly controlTableName?: string | undefined;

  /**
   * What starts the runs: EventBridge `rules`, or schedules of EventBridge `scheduler`, with a dead-letter queue of
   * their own. The events and intervals are the same, and one can be changed for the other at any time.
   *
   * @default 'rules'
   */
  readonly trigger?: 'rules' | 'scheduler' | undefined;

  /**
   * With `trigger: 'scheduler'`: tiers of 2, 3, 4, 6, 8, 12 or 24 hours start by the clock of this time zone, from
   * midnight on. An IANA name such as `Europe/Berlin`, or CDK's `TimeZone`. It does not affect other intervals.
   *
   * @default - every interval counts from the deployment, in UTC
   */
  readonly timeZone?: string | TimeZone | undefined;

  /**
   * Timeout of the functions, and with it the longest run. At most 15 minutes.
   *
   * @default Duration.minutes(5)
   */
  readonly timeout?: Duration | undefined;

  /**
   * Memory of the functions in MiB.
   *
   * @default 512
   */
  readonly memorySize?: number | undefined;

  /**
   * Invocations at once that are reserved for each function that attempts records, and its limit: from 1 on. A queue's or a
   * worker's own takes its place. The quota of the account must leave room for it.
   *
   * @default - no reservation and no limit but the account's
   */
  readonly reservedConcurrentExecutions?: number | undefined;

  /**
   * How long the functions' logs are kept. A log group outlives its function, unless `removalPolicy` is `DESTROY`.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays | undefined;

  /**
   * Which of Lambda's own lines the functions' logs have. At `INFO` each invocation has two more (its start, and a report
   * of its duration and memory): 600 bytes, whether there was anything to do or not. At `WARN` those of an invocation that
   * fails are left.
   *
   * @default SystemLogLevel.WARN
   */
  readonly systemLogLevel?: SystemLogLevel | undefined;

  /**
   * Which lines the functions write themselves: `DEBUG` has a line for each run that found nothing to do. Sets
   * `POWERTOOLS_LOG_LEVEL`, and not Lambda's filter, which takes lines without a level for `INFO`: metrics among them.
   *
   * @default 'INFO'
   */
  readonly logLevel?: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | undefined;

  /**
   * X-Ray traces of the functions that are made here. A function of your own (`handler`) has its own setting.
   *
   * @default Tracing.DISABLED
   */
  readonly tracing?: Tracing | undefined;

  /**
   * How many metrics the functions write: `essential` those that the alarms need, `off` none. Each costs $0.30 a month, for
   * the hours in which it is not zero. Without metrics, only failed runs, missing runs and given-up events raise an alarm.
   *
   * @default - `full`, with `minimal` `essential`
   */
  readonly metrics?: 'full' | 'essential' | 'off' | undefined;

  /**
   * Alarms for each state that needs a person. See `alarms` of a queue for their thresholds. `'essential'`: those without
   * which records could be late or lost unseen, and those that a queue's own `alarms` name.
   *
   * @default - true, with `minimal` `'essential'`
   */
  readonly alarms?: boolean | 'essential' | undefined;

  /**
   * Other defaults, for an account that pays for each of them: no `dashboard`, no `compositeAlarm`, the `alarms` and the
   * `metrics` that are essential. What is given beside it applies.
   *
   * @default false
   */
  readonly minimal?: boolean | undefined;

  /**
   * What alarms do when they go off, such as `[new SnsAction(topic)]`; or by their severity: `{ page: [...], ticket: [...] }`.
   *
   * @default - nothing: the alarms show in the console only
   */
  readonly alarmActions?: AlarmActions | undefined;

  /**
   * What alarms do when their cause is gone, in the same form.
   *
   * @default - nothing
   */
  readonly okActions?: AlarmActions | undefined;

  /**
   * One alarm more, which is on while any other one is. It has no actions of its own, and costs $0.50 a month.
   *
   * @default - as `alarms`; false with `minimal`
   */
  readonly compositeAlarm?: boolean | undefined;

  /**
   * One CloudWatch dashboard for all queues.
   *
   * @default - true, with `minimal` false
   */
  readonly dashboard?: boolean | undefined;

  /**
   * The overview of the console at the top of the dashboard, below the alarms, as a custom widget: `true` with buttons that
   * pause and resume queues, `'readOnly'` without. CloudWatch calls its functions with the rights of the viewer: see
   * `grantViewWidget` and `grantUseWidget`.
   *
   * @default false - viewers of the dashboard need a right more, and confirm once that the widget may run
   */
  readonly widget?: boolean | 'readOnly' | undefined;
}
