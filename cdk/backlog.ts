import { Duration } from 'aws-cdk-lib';
import type { Alarm, CompositeAlarm, Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { type IFunction, SystemLogLevel, Tracing } from 'aws-cdk-lib/aws-lambda';
import { type ILogGroup, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import * as z from 'zod';
import { METRICS_LEVELS, type MetricsLevel } from '../functions/metrics-level.js';
import { ConfigurationError } from '../src/errors.js';
import { parseOptions, show } from '../src/validation.js';
import { addAlarms } from './alarms.js';
import { BacklogMetrics } from './backlog-metrics.js';
import { addDashboard } from './dashboard.js';
import { eventDlqQueue, redeliveryQueue } from './given-up-events.js';
import { type GrantInsertOptions, grantInsert } from './grant-insert.js';
import { addIntake, canTakeIn, INTAKE_TIMEOUT } from './intake.js';
import { addLogQueries } from './log-queries.js';
import { addMonitor } from './monitor.js';
import type { BacklogProps } from './props.js';
import { type Queue, readQueues } from './queue.js';
import type { QueueProps } from './queue-props.js';
import { addRules } from './rules.js';
import { addSchedules } from './schedules.js';
import { controlTable, grantOperate, recordsTable } from './tables.js';
import { backlogTicks, type Tick } from './ticks.js';
import { checkTimeZone, timeZone } from './time-zone.js';
import { alarmActions, functionTimeout, key, table } from './values.js';
import type { WatchedFunction } from './watched.js';
import { addWidget, grantCalls } from './widget.js';
import { readWorkers } from './worker-props.js';
import { attemptedOnArrival, type StaffedQueue, staffQueues } from './workers.js';

const propsShape = z.strictObject({
  queues: z.custom<Readonly<Record<string, QueueProps>>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'expected an object of queues by name',
  ),
  workers: z.record(z.string(), z.unknown()).default({}),
  table: table.optional(),
  intake: z.boolean().default(true),
  sweep: z.boolean().optional(),
  encryptionKey: key.optional(),
  deletionProtection: z.boolean().default(false),
  trigger: z.enum(['rules', 'scheduler']).default('rules'),
  timeZone: timeZone.optional(),
  timeout: functionTimeout.default(Duration.minutes(5)),
  memorySize: z.int().min(128).max(10_240).default(512),
  logRetention: z.enum(RetentionDays).default(RetentionDays.ONE_MONTH),
  systemLogLevel: z.enum(SystemLogLevel).default(SystemLogLevel.WARN),
  tracing: z.enum(Tracing).default(Tracing.DISABLED),
  alarms: z.boolean().default(true),
  metrics: z.enum(METRICS_LEVELS, { error: 'expected "full", "essential" or "off"' }).default('full'),
  alarmActions: alarmActions.optional(),
  okActions: alarmActions.optional(),
  compositeAlarm: z.boolean().optional(),
  dashboard: z.boolean().default(true),
  widget: z
    .union([z.boolean(), z.literal('readOnly')], { error: 'expected true, false or "readOnly"' })
    .default(false),
});

/**
 * A backlog: the table that other services put records into, and per queue the rules (or schedules) that attempt every
 * record until it succeeds, less and less often. With logs, alarms and a dashboard.
 */
export class Backlog extends BacklogMetrics {
  /** Where the records are. */
  readonly table: ITable;
  /** Leases, journals and the queues' own items. */
  readonly controlTable: ITable;
  /** Events that no function took or finished. With `trigger: 'scheduler'`, those that a function took. */
  readonly eventDlq: IQueue;
  /** Events that EventBridge Scheduler could not deliver; missing with rules. */
  readonly scheduleDeadLetters: IQueue | undefined;
  /** What does the work, by queue. Those of a worker share it; those with `deliverTo` one per retry mode. */
  readonly functions: Readonly<Record<string, IFunction>>;
  /** Dispatches or indexes records that were put without `lane`; missing without a stream, or if it was turned off. */
  readonly intake: IFunction | undefined;
  /** Finds, once a day, records that the intake was not notified of. */
  readonly sweep: IFunction | undefined;
  /** Reads every five minutes how much waits, and for how long; missing with `metrics: 'off'`. */
  readonly monitor: IFunction | undefined;
  /** The names of the queues whose rules or schedules do not fire. */
  readonly disabledQueues: readonly string[];
  /** Its alarms; none with `alarms: false`. */
  readonly alarms: readonly Alarm[];
  /** On while any of them is; missing with `compositeAlarm: false`. */
  readonly compositeAlarm: CompositeAlarm | undefined;
  /** Its dashboard; missing with `dashboard: false`. */
  readonly dashboard: Dashboard | undefined;
  /** Draws the overview on the dashboard; missing without `widget`. */
  readonly widget: IFunction | undefined;
  /** Does what the overview's buttons say; missing without `widget: true`. */
  readonly widgetActions: IFunction | undefined;

  /** @throws ConfigurationError at synthesis, naming the option that is invalid */
  constructor(scope: Construct, id: string, props: BacklogProps) {
    super(scope, id);
    const options = parseOptions(propsShape, props, 'Backlog');
    const queues = readQueues(options.queues);
    const workers = readWorkers(options.workers, queues);
    checkTimeZone(options.timeZone, options.trigger, queues);
    if (options.sweep && !options.intake) {
      throw new ConfigurationError(
        'Backlog.sweep: expected false or nothing beside "intake": false, as what it finds goes to the intake, got true',
      );
    }

    if (options.widget && !options.dashboard) {
      throw new ConfigurationError(
        `Backlog.widget: expected false or nothing beside "dashboard": false, as it is a part of it, got ${show(options.widget)}`,
      );
    }

    this.table = options.table ?? recordsTable(this, 'Records', options);
    this.controlTable = controlTable(this, 'Control', options);
    const eventDlq = eventDlqQueue(this, 'EventDlq');
    this.eventDlq = eventDlq;

    const tables = { records: this.table, control: this.controlTable };
    const hasIntake = options.intake && canTakeIn(this, tables);
    const returns = hasIntake ? redeliveryQueue(this, 'Redelivery', eventDlq, INTAKE_TIMEOUT) : undefined;
    const { memorySize, logRetention, systemLogLevel, tracing, metrics } = options;
    checkDepthAlarms(queues, metrics);
    const common = { tables, memorySize, logRetention, systemLogLevel, tracing, metrics };

    const staffed = staffQueues(this, queues, workers, {
      ...common,
      timeout: options.timeout,
      failedEvents: returns ?? eventDlq,
    });
    this.functions = Object.fromEntries(staffed.map(({ queue, worker }) => [queue.name, worker.lambda]));
    this.disabledQueues = queues.filter(({ enabled }) => !enabled).map(({ name }) => name);

    const onArrival = attemptedOnArrival(staffed);
    const { sweep = true } = options;
    const intake = returns
      ? addIntake(this, 'Intake', { ...common, queues, onArrival, returns, eventDlq, sweep })
      : undefined;
    this.intake = intake?.lambda;
    this.sweep = intake?.sweep?.lambda;

    const monitor =
      metrics === 'off'
        ? undefined
        : addMonitor(this, 'Monitor', { ...common, queues, eventSources: intake?.eventSources ?? [] });
    this.monitor = monitor?.lambda;

    const work = backlogTicks(staffed);
    const ticks = [...work, ...[intake?.sweep, monitor].flatMap((tick) => tick ?? [])];
    if (options.trigger === 'scheduler') {
      this.scheduleDeadLetters = addSchedules(this, 'Schedules', ticks, options.timeZone).deadLetters;
    } else {
      addRules(ticks, eventDlq);
    }

    addLogQueries(new Construct(this, 'LogQueries'), this);

    const watched = {
      tableName: this.table.tableName,
      controlTableName: this.controlTable.tableName,
      queues,
      metrics,
      functions: watchedFunctions(staffed, work),
      logGroups: [...new Set(staffed.flatMap(({ worker }) => logGroupOf(worker.lambda) ?? []))],
      monitorLogs: logGroupOf(this.monitor),
      eventDlq,
      scheduleDeadLetters: this.scheduleDeadLetters,
      intake: this.intake,
      sweep: this.sweep,
      monitor: this.monitor,
    };
    const { compositeAlarm: composite = true, okActions } = options;
    const alarms = options.alarms
      ? addAlarms(new Construct(this, 'Alarms'), watched, {
          alarmActions: options.alarmActions,
          okActions,
          composite,
        })
      : undefined;
    this.alarms = alarms?.all ?? [];
    this.compositeAlarm = alarms?.composite;
    const widget = options.widget
      ? addWidget(this, 'Widget', { ...common, queues, canAct: options.widget === true })
      : undefined;
    this.widget = widget?.overview;
    this.widgetActions = widget?.actions;
    this.dashboard = options.dashboard
      ? addDashboard(this, 'Dashboard', watched, this.alarms, this.widget)
      : undefined;
  }

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
   * Grants what operators need (`BacklogOperator`, `backlog redrive`, `stats`, `pause`, ...): to read all records, to
   * change and remove them, and to pause queues.
   */
  grantOperate(grantee: IGrantable): void {
    grantOperate(grantee, { records: this.table, control: this.controlTable });
  }

  /**
   * Lets a viewer of the dashboard see the overview: to call the function that draws it, and nothing else. The right to see
   * dashboards (`cloudwatch:GetDashboard`, ...) is the viewer's own.
   *
   * @throws ConfigurationError without `widget`
   */
  grantViewWidget(grantee: IGrantable): Grant {
    return grantCalls(grantee, [this.widget]);
  }

  /**
   * Lets a viewer of the dashboard see the overview and use its buttons: to pause and resume any queue of this backlog.
   *
   * @throws ConfigurationError without `widget: true`
   */
  grantUseWidget(grantee: IGrantable): Grant {
    return grantCalls(grantee, [this.widget, this.widgetActions]);
  }
}

/** The log group beside a function that is made here. A function of the user's own is not asked, as CDK would make one. */
function logGroupOf(lambda: IFunction | undefined): ILogGroup | undefined {
  const found = lambda?.node.scope?.node.tryFindChild('Logs');
  return found instanceof LogGroup ? found : undefined;
}

/** Each function once, with its most frequent rule. */
function watchedFunctions(staffed: readonly StaffedQueue[], ticks: readonly Tick[]): WatchedFunction[] {
  const byName = new Map(staffed.map(({ worker }) => [worker.name, worker]));
  return [...byName.values()].map(({ name, lambda, timeoutSeconds }) => {
    const enabled = ticks.filter((tick) => tick.lambda === lambda && tick.enabled);
    return {
      name,
      lambda,
      timeoutSeconds,
      every: enabled.length === 0 ? undefined : Math.min(...enabled.map(({ every }) => every)),
    };
  });
}

function checkDepthAlarms(queues: readonly Queue[], metrics: MetricsLevel): void {
  const watched = queues.find(({ alarms }) => alarms.depth !== undefined);
  if (!watched || metrics === 'full') return;
  throw new ConfigurationError(
    `queues.${watched.name}.alarms.depth: expected nothing beside metrics "${metrics}", which do not say how much waits, got ` +
      show(watched.alarms.depth),
  );
}
