import type { Alarm, CompositeAlarm, Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Connections, type IConnectable } from 'aws-cdk-lib/aws-ec2';
import type { Rule } from 'aws-cdk-lib/aws-events';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type IFunction,
  type Function as LambdaFunction,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { type ILogGroup, LogGroup } from 'aws-cdk-lib/aws-logs';
import type { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { Queue as SqsQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { MetricsLevel } from '../functions/metrics-level.js';
import { ConfigurationError } from '../src/errors.js';
import { show } from '../src/validation.js';
import { addAlarms } from './alarms.js';
import { BacklogMetrics } from './backlog-metrics.js';
import { readProps } from './backlog-shape.js';
import { addDashboard } from './dashboard.js';
import { checkLayers } from './function-settings.js';
import { eventDlqQueue, redeliveryQueue } from './given-up-events.js';
import { type GrantInsertOptions, grantInsert } from './grant-insert.js';
import { addIntake, canTakeIn, INTAKE_TIMEOUT } from './intake.js';
import { addLogQueries } from './log-queries.js';
import { addMonitor } from './monitor.js';
import { sharedNetwork } from './network.js';
import type { BacklogProps } from './props.js';
import { type Queue, readQueues } from './queue.js';
import { addRules } from './rules.js';
import { addSchedules } from './schedules.js';
import { type CreatedTable, controlTable, grantOperate, recordsTable } from './tables.js';
import { describeInTemplate } from './template-metadata.js';
import { backlogTicks, type Tick } from './ticks.js';
import { checkTimeZone } from './time-zone.js';
import type { WatchedFunction } from './watched.js';
import { addWidget, grantCalls } from './widget.js';
import { readWorkers } from './worker-props.js';
import { attemptedOnArrival, type StaffedQueue, staffQueues } from './workers.js';

/**
 * A backlog: the table that other services put records into, and per queue the rules (or schedules) that attempt every
 * record until it succeeds, less and less often. With logs, alarms and a dashboard.
 */
export class Backlog extends BacklogMetrics implements IConnectable {
  /** Where the records are. */
  readonly table: ITable;
  /** The same, if it is made here; missing with `table`. */
  readonly createdTable: CreatedTable | undefined;
  /** Leases, journals and the queues' own items. */
  readonly controlTable: CreatedTable;
  /** Events that no function took or finished. With `trigger: 'scheduler'`, those that a function took. */
  readonly eventDlq: SqsQueue;
  /** Events of runs that were lost, and ids of records that the intake looks at later; missing without an intake. */
  readonly redelivery: SqsQueue | undefined;
  /** Events that EventBridge Scheduler could not deliver; missing with rules. */
  readonly scheduleDeadLetters: SqsQueue | undefined;
  /** What starts the functions; none with `trigger: 'scheduler'`. */
  readonly rules: readonly Rule[];
  /** What starts the functions, with `trigger: 'scheduler'`; none with rules. */
  readonly schedules: readonly CfnSchedule[];
  /** What does the work, by queue. Those of a worker share it; those with `deliverTo` one per retry mode. */
  readonly functions: Readonly<Record<string, IFunction>>;
  /** Of these, those that are made here: of queues and workers with `entry`, and of queues with `deliverTo`. */
  readonly createdFunctions: Readonly<Record<string, LambdaFunction>>;
  /** Dispatches or indexes records that were put without `lane`; missing without a stream, or if it was turned off. */
  readonly intake: LambdaFunction | undefined;
  /** Finds, once a day, records that the intake was not notified of. */
  readonly sweep: LambdaFunction | undefined;
  /** Reads every five minutes how much waits, and for how long; missing with `metrics: 'off'`. */
  readonly monitor: LambdaFunction | undefined;
  /** The names of the queues whose rules or schedules do not fire. */
  readonly disabledQueues: readonly string[];
  /** Its alarms; none with `alarms: false`. */
  readonly alarms: readonly Alarm[];
  /** On while any of them is; missing with `compositeAlarm: false`. */
  readonly compositeAlarm: CompositeAlarm | undefined;
  /** Its dashboard; missing with `dashboard: false`. */
  readonly dashboard: Dashboard | undefined;
  /** Draws the overview on the dashboard; missing without `widget`. */
  readonly widget: LambdaFunction | undefined;
  /** Does what the overview's buttons say; missing without `widget: true`. */
  readonly widgetActions: LambdaFunction | undefined;

  private readonly shared: Connections | undefined;

  /** @throws ConfigurationError at synthesis, naming the option that is invalid */
  constructor(scope: Construct, id: string, props: BacklogProps) {
    super(scope, id);
    const options = readProps(props);
    const queues = readQueues(options.queues);
    const workers = readWorkers(options.workers, queues);
    checkTimeZone(options.timeZone, options.trigger, queues);

    this.createdTable = options.table ? undefined : recordsTable(this, 'Records', options);
    this.table = options.table ?? (this.createdTable as ITable);
    this.controlTable = controlTable(this, 'Control', options);
    const eventDlq = eventDlqQueue(this, 'EventDlq');
    this.eventDlq = eventDlq;

    const tables = { records: this.table, control: this.controlTable };
    const hasIntake = options.intake && canTakeIn(this, tables);
    const returns = hasIntake ? redeliveryQueue(this, 'Redelivery', eventDlq, INTAKE_TIMEOUT) : undefined;
    this.redelivery = returns;
    const { memorySize, logRetention, systemLogLevel, tracing, metrics, environmentEncryption } = options;
    const { architecture = Architecture.ARM_64, runtime = Runtime.NODEJS_24_X, layers, bundling } = options;
    checkLayers(layers, architecture, 'Backlog');
    const network = sharedNetwork(this, options);
    this.shared = network.securityGroups && new Connections({ securityGroups: network.securityGroups });
    checkDepthAlarms(queues, metrics);
    const ofAll = { memorySize, logRetention, systemLogLevel, tracing, metrics, architecture, runtime };
    const common = { tables, ...ofAll, network, environmentEncryption };

    const staffed = staffQueues(this, queues, workers, {
      ...common,
      layers,
      bundling,
      timeout: options.timeout,
      failedEvents: returns ?? eventDlq,
    });
    this.functions = Object.fromEntries(staffed.map(({ queue, worker }) => [queue.name, worker.lambda]));
    this.createdFunctions = Object.fromEntries(
      staffed.flatMap(({ queue, worker }) => (worker.created ? [[queue.name, worker.created]] : [])),
    );
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
      const { deadLetters, schedules } = addSchedules(this, 'Schedules', ticks, options.timeZone);
      this.scheduleDeadLetters = deadLetters;
      this.schedules = schedules;
      this.rules = [];
    } else {
      this.rules = addRules(ticks, eventDlq);
      this.schedules = [];
    }

    describeInTemplate(this, {
      ...{ tables, staffed, trigger: options.trigger, timeZone: options.timeZone },
      names: { records: options.tableName, control: options.controlTableName },
      onInsert: new Set(intake ? onArrival.map(({ queue }) => queue.name) : []),
      ...{ intake: this.intake !== undefined, sweep: this.sweep !== undefined },
    });

    const logGroups = [...new Set(staffed.flatMap(({ worker }) => worker.logGroup ?? []))];
    addLogQueries(new Construct(this, 'LogQueries'), this, logGroups);

    const watched = {
      tableName: this.table.tableName,
      controlTableName: this.controlTable.tableName,
      queues,
      metrics,
      functions: watchedFunctions(staffed, work),
      logGroups,
      monitorLogs: logGroupOf(this.monitor),
      eventDlq,
      scheduleDeadLetters: this.scheduleDeadLetters,
      intake: this.intake,
      sweep: this.sweep,
      monitor: this.monitor,
    };
    const alarms = options.alarms
      ? addAlarms(new Construct(this, 'Alarms'), watched, {
          alarmActions: options.alarmActions,
          okActions: options.okActions,
          composite: options.compositeAlarm,
          onlyEssential: options.alarms === 'essential',
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
   * The security groups of the functions, for rules such as `database.connections.allowDefaultPortFrom(backlog)`. A queue with
   * a `vpc` or `securityGroups` of its own has its own: `createdFunctions.NAME.connections`.
   *
   * @throws ConfigurationError without `vpc`
   */
  get connections(): Connections {
    if (this.shared) return this.shared;
    throw new ConfigurationError(
      'Backlog.connections: expected a "vpc" of the Backlog, as otherwise there are no security groups; for a queue with a "vpc" ' +
        'of its own, use createdFunctions.NAME.connections',
    );
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
  grantOperate(grantee: IGrantable): Grant {
    return grantOperate(grantee, { records: this.table, control: this.controlTable });
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
    `queues.${watched.name}.alarms.depth: expected nothing beside metrics "${metrics}", which do not say how much waits ` +
      `(give "metrics": "full"), got ${show(watched.alarms.depth)}`,
  );
}
