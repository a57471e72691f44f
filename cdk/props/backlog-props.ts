import type { RemovalPolicy, TimeZone } from 'aws-cdk-lib';
import type { ITable, ReplicaTableProps, Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus, IEventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { AlarmActions } from './alarm-props.js';
import type { CompletionUrlProps } from './completion-url-props.js';
import type { FunctionProps } from './function-props.js';
import type { IntakeProps } from './intake-props.js';
import type { QueueProps } from './queue-props.js';
import type { RecordEventsProps } from './record-events-props.js';
import type { RecurringProps } from './recurring-props.js';
import type { ISharedBacklog } from './shared-parts.js';
import type { WorkerProps } from './worker-props.js';

/**
 * The classes as well: under `exactOptionalPropertyTypes` they do not fit the CDK's own interface.
 *
 * @inline
 */
type AnyTable = ITable | TableV2 | Table;

/**
 * The class for the same reason.
 *
 * @inline
 */
type AnyBus = IEventBus | EventBus;

/** Props of a `Backlog`. Only `queues` is required. */
export interface BacklogProps extends FunctionProps {
  /**
   * The queues by name.
   *
   * Letters, digits, `_`, `.` and `-`, at most 128. Producers name one in the record's `queue`; without it, the queue is
   * `default`.
   */
  readonly queues: Readonly<Record<string, QueueProps>>;

  /**
   * Functions that serve several queues each, by names that queues give as their `worker`: `{ entry, environment?, ... }` or `{
   * handler }`.
   *
   * Any name but `external`. One rule polls those queues of a worker that retry per record, together and by their weights.
   *
   * @default - none
   */
  readonly workers?: Readonly<Record<string, WorkerProps>> | undefined;

  /**
   * An existing table of records.
   *
   * It has the partition key `id` (S), the index `due` (`lane` S, `dueAt` S, keys only), the TTL attribute `expiresAt` and, for
   * the intake, a stream with new images. A new table is on demand and encrypted, has point-in-time recovery, and is kept when
   * the stack is deleted.
   *
   * @default - a new table
   */
  readonly table?: AnyTable | undefined;

  /**
   * An existing control table of `table`, such as a restored one.
   *
   * It has the partition key `key` (S), and holds the leases and the state of the queues of this table of records, and of no
   * other.
   *
   * @default - a new table
   */
  readonly controlTable?: AnyTable | undefined;

  /**
   * The Backlog whose tables and intake these queues use, of this app or from `Backlog.fromBacklogAttributes`.
   *
   * This one has functions, rules and alarms, and neither tables nor intake, sweep or monitor: those of the shared Backlog look
   * after its queues as well. Each queue belongs to one stack.
   *
   * @default - none
   */
  readonly sharedBacklog?: ISharedBacklog | undefined;

  /**
   * `true`: another stack may own the queues, and no alarm fires (blue/green).
   *
   * Its runs do nothing until `backlog transfer` gives it a queue. Otherwise such a run fails.
   *
   * @default false
   */
  readonly standby?: boolean | undefined;

  /**
   * The name of this Backlog within its stack. Two Backlogs with tables in one stack need different ones.
   *
   * It has 1 to 64 letters, digits, `_`, `.` and `-`. While it stays the same, a deployment fails that would go on with new,
   * empty tables, such as after a change of the construct's id or of `tableName`. Another name says that this is intended.
   *
   * @default 'backlog'
   */
  readonly backlogName?: string | undefined;

  /**
   * The region whose functions attempt records, such as `'eu-central-1'`, until `backlog failover` makes another one active.
   *
   * Each region has a stack of its own that names it, with the same queues. That of the primary region makes the tables, with
   * `replicas`. The others have the replicas as `table` and `controlTable`.
   *
   * @default - none
   */
  readonly primaryRegion?: string | undefined;

  /**
   * Replicas of the new table of records in other regions. The stack must name its region then.
   *
   * The new control table has replicas in the same regions if `primaryRegion` is set, with the same deletion protection and tags.
   * Otherwise it has none, and the replicas of the records are copies to be read.
   *
   * @default - none
   */
  readonly replicas?: readonly ReplicaTableProps[] | undefined;

  /**
   * The ARNs of KMS keys by the regions of `replicas`. Required with `encryptionKey` and `replicas`, as a key is of one region.
   *
   * @default - the AWS managed key of each region
   */
  readonly replicaKeyArns?: Readonly<Record<string, string>> | undefined;

  /**
   * The intake attempts or indexes records that were put without `lane` and `dueAt`, by the table's stream.
   *
   * With it, any service that can put `{ id, status, payload }` is a producer. Settings in place of `true` say how.
   *
   * @default true
   */
  readonly intake?: boolean | IntakeProps | undefined;

  /**
   * A daily scan of the whole table for records that no event reached.
   *
   * It also finds dead records that were set to `NEW` by hand. It costs 0.5 read units per 4 KB.
   *
   * @default - `true` with an intake
   */
  readonly sweep?: boolean | undefined;

  /**
   * Outcomes that come at the same time are written by one request, up to 25, each on its own condition.
   *
   * It halves the CPU time of a run, or more; write units are the same. `false`: each has a request of its own, and no role
   * gets the right `dynamodb:PartiQLUpdate`.
   *
   * @default true
   */
  readonly groupWrites?: boolean | undefined;

  /**
   * A customer managed key for all that is made here: tables, SQS queues, log groups, variables of functions. A stack with new
   * tables must name its region then.
   *
   * All roles, CloudWatch Logs and EventBridge get the right to use it. The policy of an imported key cannot be changed, which
   * a warning says. Replicas have keys of their own: `replicaKeyArns`.
   *
   * @default - keys of AWS
   */
  readonly encryptionKey?: IKey | undefined;

  /**
   * Protection of the new tables from deletion by any user.
   *
   * @default - `true`; `false` with `removalPolicy: DESTROY`
   */
  readonly deletionProtection?: boolean | undefined;

  /**
   * The fate of the new tables when they leave the stack: `RETAIN`, `RETAIN_ON_UPDATE_OR_DELETE`, or `DESTROY` with all
   * records.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy | undefined;

  /**
   * The name of the new table of records. CloudFormation cannot replace a table that has a name, and a second stack with the
   * same name fails.
   *
   * It has 3 to 255 letters, digits, `_`, `.` and `-`. Not beside `table`.
   *
   * @default - CloudFormation's
   */
  readonly tableName?: string | undefined;

  /**
   * The name of the new control table, likewise.
   *
   * @default - CloudFormation's
   */
  readonly controlTableName?: string | undefined;

  /**
   * The trigger of the runs: EventBridge `'rules'`, or schedules of EventBridge `'scheduler'`.
   *
   * Schedules have a dead-letter queue of their own. The events and intervals are the same, and one can be changed for the
   * other at any time.
   *
   * @default 'rules'
   */
  readonly trigger?: 'rules' | 'scheduler' | undefined;

  /**
   * The time zone by whose clock tiers of 2 to 24 hours start, such as `'Europe/Berlin'` or `TimeZone.EUROPE_BERLIN`.
   * Only with `trigger: 'scheduler'`.
   *
   * Tiers of 2, 3, 4, 6, 8, 12 or 24 hours start from midnight on. It does not affect other intervals, which count from
   * the deployment.
   *
   * @default - UTC
   */
  readonly timeZone?: string | TimeZone | undefined;

  /**
   * Metrics that the functions write: `full`, `essential` those that the alarms need, `off` none.
   *
   * Each costs $0.30 a month, for the hours in which it is not zero. Without metrics, only failed runs, missing runs and
   * given-up events raise an alarm.
   *
   * @default - `'full'`; `'essential'` with `minimal`
   */
  readonly metrics?: 'full' | 'essential' | 'off' | undefined;

  /**
   * Alarms for each state that needs a person. `'essential'`: those without which records could be late or lost unseen.
   *
   * The alarms that a queue's own `alarms` name are created as well, with their thresholds.
   *
   * @default - `true`; `'essential'` with `minimal`
   */
  readonly alarms?: boolean | 'essential' | undefined;

  /**
   * Other defaults: no `dashboard`, no `compositeAlarm`, the `alarms` and the `metrics` that are essential.
   *
   * An account pays for each of these. A property that is given beside it has precedence.
   *
   * @default false
   */
  readonly minimal?: boolean | undefined;

  /**
   * Actions of the alarms when they go off, such as `[new SnsAction(topic)]`; or by their severity: `{ page: [...], ticket: [...] }`.
   *
   * @default - nothing: the alarms show in the console only
   */
  readonly alarmActions?: AlarmActions | undefined;

  /**
   * Actions of the alarms when their cause is gone, in the same form.
   *
   * @default - nothing
   */
  readonly okActions?: AlarmActions | undefined;

  /**
   * The page that alarms and incidents link to, with the alarm's kind as fragment, such as `#lag`; an incident has `#failures`.
   *
   * @default - they name the page of these docs
   */
  readonly runbookUrl?: string | undefined;

  /**
   * The EventBridge bus that gets an event when an incident begins, changes or ends.
   *
   * @default - none
   */
  readonly incidentBus?: AnyBus | undefined;

  /**
   * Tells other services of the ends of records: an event for each, from the table's stream, by a function of its own.
   *
   * The table needs a stream of new images. What ended in the 24 hours before the first deployment has events, too.
   *
   * @default - none
   */
  readonly recordEvents?: RecordEventsProps | undefined;

  /**
   * Counts the members of groups (`RecordGroups`) from the table's stream, and starts the record of a group's end once all of them have
   * ended: by the function that also sends the events of `recordEvents`. The sweep checks each group once a day.
   *
   * The stream has old images then. In a stack that is deployed already, the table gets a new stream: the sweep finds what was put at
   * that moment.
   *
   * @default false
   */
  readonly groups?: boolean | undefined;

  /**
   * Records that are inserted again and again, by name: `{ 'nightly-report': { schedule: 'cron(0 3 * * ? *)', ... } }`. `{}` makes the
   * function alone, for the schedules that an application puts with `RecurringRecords`.
   *
   * A queue `recurring` has the schedules, and a function of its own inserts the records. A name has letters, digits, `_`, `.`, `:`, `/`
   * and `-`, at most 256, and at most 1,000 recurring records are here.
   *
   * @default - none, and no such function
   */
  readonly recurring?: Readonly<Record<string, RecurringProps>> | undefined;

  /**
   * A function with a public URL, at which people and systems end attempts that wait (`Pending`), by links that handlers sign with
   * `completionUrl`.
   *
   * The handlers of `entry`, `handler` and `workers` here may read the secret that signs, from Secrets Manager ($0.40 a month).
   *
   * @default false
   */
  readonly completionUrl?: boolean | CompletionUrlProps | undefined;

  /**
   * One alarm more, which is on while any other one is.
   *
   * It has no actions of its own, and costs $0.50 a month.
   *
   * @default - as `alarms`; `false` with `minimal`
   */
  readonly compositeAlarm?: boolean | undefined;

  /**
   * One CloudWatch dashboard for all queues.
   *
   * @default - `true`; `false` with `minimal`
   */
  readonly dashboard?: boolean | undefined;

  /**
   * The overview of the console on the dashboard: `true` with buttons that pause and resume queues, `'readOnly'` without. Its
   * viewers need a right more.
   *
   * It is a custom widget at the top, below the alarms. CloudWatch calls its functions with the rights of the viewer
   * (`grantViewWidget`, `grantUseWidget`), and asks once whether the widget may run.
   *
   * @default false
   */
  readonly widget?: boolean | 'readOnly' | undefined;
}
