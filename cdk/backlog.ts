import type { Alarm, CompositeAlarm, Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Connections, type IConnectable } from 'aws-cdk-lib/aws-ec2';
import type { Rule } from 'aws-cdk-lib/aws-events';
import type { Grant, IGrantable, IRole } from 'aws-cdk-lib/aws-iam';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue as ISqsQueue, Queue as SqsQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ConfigurationError } from '../src/errors.js';
import { show } from '../src/validation.js';
import { checkLayers, commonSettings } from './functions/function-settings.js';
import { addIntake, canTakeIn, INTAKE_TIMEOUT } from './functions/intake.js';
import { addMonitor } from './functions/monitor.js';
import { sharedNetwork } from './functions/network.js';
import { SettingsFiles } from './functions/settings-files.js';
import { addWidget, grantCalls } from './functions/widget.js';
import {
  type WorkEnvironmentOptions,
  type WorkSettings,
  workEnvironment,
  workSettings,
} from './functions/work-environment.js';
import { attemptedOnArrival, createdOf, restartedOf, staffQueues } from './functions/workers.js';
import { addAlarms } from './monitoring/alarms.js';
import { addDashboard } from './monitoring/dashboard.js';
import { addLogQueries } from './monitoring/log-queries.js';
import { writeTableMetrics } from './monitoring/table-alarms.js';
import { watchedIn } from './monitoring/watched.js';
import { checkDepthAlarms } from './props/alarm-settings.js';
import type { BacklogProps } from './props/backlog-props.js';
import { readProps } from './props/backlog-shape.js';
import { readQueues } from './props/queue.js';
import type { QueueProps } from './props/queue-props.js';
import type { ISharedBacklog } from './props/shared-parts.js';
import { readWorkers } from './props/worker-props.js';
import { addRules } from './rules.js';
import {
  attributesOfStack,
  type BacklogAttributes,
  importParts,
  type StackAttributes,
} from './sharing/backlog-attributes.js';
import { type AddQueueOptions, BacklogBase, type IBacklog } from './sharing/backlog-base.js';
import { ImportedBacklog } from './sharing/imported-backlog.js';
import {
  allowIntake,
  checkShared,
  claimQueues,
  isDeployedAs,
  nameByStack,
  ownerOf,
  withArrivals,
} from './sharing/shared-backlog.js';
import { describeInTemplate } from './sharing/template-metadata.js';
import { allowServices } from './support/encryption.js';
import { checkLimits } from './support/limits.js';
import { addParameters, deployedStack } from './tables/table-parameters.js';
import { type CreatedTable, ownTables, tablesOf } from './tables/tables.js';
import { addEventSources } from './triggers/event-sources.js';
import { eventDlqQueue, redeliveryQueue } from './triggers/given-up-events.js';
import { monitorTick, sweepTick } from './triggers/own-ticks.js';
import { addSchedules } from './triggers/schedules.js';
import { backlogTicks } from './triggers/ticks.js';
import { checkTimeZone } from './triggers/time-zone.js';

/**
 * A backlog: the table that other services put records into, and per queue the rules (or schedules) that attempt every
 * record until it succeeds, less and less often. With logs, alarms and a dashboard.
 */
export class Backlog extends BacklogBase implements IConnectable {
  /**
   * A backlog of another stack or app, of the same account and region: to add queues to it, to let producers insert, and for
   * its metrics.
   *
   * @throws ConfigurationError naming the attribute that is missing or invalid
   */
  static fromBacklogAttributes(scope: Construct, id: string, attributes: BacklogAttributes): IBacklog {
    return new ImportedBacklog(scope, id, (inner) => importParts(inner, attributes), addQueueTo);
  }

  /**
   * The same, by the stack that has its tables and an intake: reads the attributes from the parameters that the stack has
   * written into Systems Manager, at each deployment.
   *
   * @throws ConfigurationError naming the attribute that is missing or invalid
   */
  static fromStack(scope: Construct, id: string, stack: StackAttributes): IBacklog {
    const { stackName, backlogName = 'backlog' } = stack;
    const partsIn = (inner: Construct) =>
      importParts(inner, attributesOfStack(inner, stack), nameByStack(stackName, backlogName));
    return new ImportedBacklog(scope, id, partsIn, addQueueTo);
  }

  /** Where the records are. */
  readonly table: ITable;
  /** The same, if it is made here; missing with `table` and `sharedBacklog`. */
  readonly createdTable: CreatedTable | undefined;
  /** Leases, journals and the queues' own items. */
  readonly controlTable: ITable;
  /** The same, if it is made here; missing with `controlTable` and `sharedBacklog`. */
  readonly createdControlTable: CreatedTable | undefined;
  /** Events that no function took or finished. With `trigger: 'scheduler'`, those that a function took. */
  readonly eventDlq: SqsQueue;
  /** Events of runs that were lost, and ids of records that the intake looks at later; missing without an intake. */
  readonly redelivery: ISqsQueue | undefined;
  /** By which the intake starts functions; missing without one. */
  readonly intakeRole: IRole | undefined;
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
  private readonly work: WorkSettings;

  /** @throws ConfigurationError at synthesis, naming the option that is invalid */
  constructor(scope: Construct, id: string, props: BacklogProps) {
    super(scope, id);
    const options = readProps(props);
    const { sharedBacklog: shared, standby } = options;
    const read = readQueues(options.queues);
    const workers = readWorkers(options.workers, read);
    const queues = shared ? withArrivals(read, workers, shared) : read;
    if (shared) checkShared(this, shared);
    checkTimeZone(options.timeZone, options.trigger, queues);

    const own = shared ? undefined : ownTables(this, options);
    if (!shared) isDeployedAs(this, nameByStack(deployedStack(this).stackName, options.backlogName));
    claimQueues(this, queues, { shared: shared ?? this, standby });
    this.createdTable = own?.created.records;
    this.createdControlTable = own?.created.control;
    const tables = own ?? tablesOf(shared as ISharedBacklog);
    this.table = tables.records;
    this.controlTable = tables.control;
    const { encryptionKey: key } = options;
    if (key) allowServices(this, key);
    this.eventDlq = eventDlqQueue(this, 'EventDlq', key);
    const { eventDlq } = this;

    const hasIntake = !shared && options.intake !== false && canTakeIn(this, tables);
    const returns = hasIntake
      ? redeliveryQueue(this, 'Redelivery', eventDlq, INTAKE_TIMEOUT, key)
      : undefined;
    this.redelivery = returns ?? shared?.redelivery;
    const { metrics, layers, bundling } = options;
    const network = sharedNetwork(this, options);
    this.shared = network.securityGroups && new Connections({ securityGroups: network.securityGroups });
    checkDepthAlarms(queues, metrics);
    const files = new SettingsFiles(this);
    const common = commonSettings(options, { tables, files, network, owner: ownerOf(this, shared) });
    checkLayers(layers, common.architecture, 'Backlog');
    this.work = workSettings(options, queues, common);

    const staffed = staffQueues(this, queues, workers, {
      ...common,
      layers,
      bundling,
      reservedConcurrentExecutions: options.reservedConcurrentExecutions,
      timeout: options.timeout,
      failedEvents: this.redelivery ?? eventDlq,
    });
    this.functions = Object.fromEntries(staffed.map(({ queue, worker }) => [queue.name, worker.lambda]));
    this.createdFunctions = createdOf(staffed);
    this.disabledQueues = queues.filter(({ enabled }) => !enabled).map(({ name }) => name);

    const onArrival = attemptedOnArrival(staffed);
    const restarted = restartedOf(staffed);
    if (shared) allowIntake(shared, restarted);
    const { sweep = true } = options;
    const ofIntake = typeof options.intake === 'object' ? options.intake : {};
    const intake =
      returns &&
      addIntake(this, 'Intake', {
        ...{ ...common, queues, onArrival, restarted, returns, eventDlq, sweep, own: ofIntake },
      });
    this.intake = intake?.lambda;
    this.sweep = intake?.sweep;
    const eventSources =
      intake && returns
        ? addEventSources(intake.lambda, { records: tables.records, returns, eventDlq, own: ofIntake })
        : [];
    this.intakeRole = this.intake?.role ?? shared?.intakeRole;
    if (own) addParameters(this, this, options.backlogName);

    this.monitor =
      shared || metrics === 'off'
        ? undefined
        : addMonitor(this, 'Monitor', { ...common, queues, eventSources });

    const runs = backlogTicks(staffed);
    const ticks = [
      ...runs,
      ...(this.sweep ? [sweepTick(this.sweep)] : []),
      ...(this.monitor ? [monitorTick(this.monitor)] : []),
    ];
    const triggers =
      options.trigger === 'scheduler'
        ? addSchedules(this, 'Schedules', ticks, { timeZone: options.timeZone, key })
        : addRules(this, ticks, eventDlq);
    this.rules = triggers.rules;
    this.schedules = triggers.schedules;
    this.scheduleDeadLetters = triggers.scheduleDeadLetters;

    describeInTemplate(this, {
      ...{ ...options, tables, queues, staffed, processSeconds: this.work.runSeconds },
      names: { records: options.tableName, control: options.controlTableName },
      onInsert: new Set(this.intakeRole ? onArrival.map(({ queue }) => queue.name) : []),
      ...{ intake: this.intake !== undefined, sweep: this.sweep !== undefined },
    });

    const logGroups = [...new Set(staffed.flatMap(({ worker }) => worker.logGroup ?? []))];
    addLogQueries(new Construct(this, 'LogQueries'), this, logGroups);

    const watched = watchedIn(this, { queues, metrics, staffed, runs, logGroups });
    if (this.work.hasTableAlarms) writeTableMetrics([...Object.values(this.functions), this.monitor]);
    const alarms = addAlarms(this, watched, options);
    this.alarms = alarms.all;
    this.compositeAlarm = alarms.composite;
    const widget = options.widget
      ? addWidget(this, 'Widget', { ...common, queues, canAct: options.widget === true })
      : undefined;
    this.widget = widget?.overview;
    this.widgetActions = widget?.actions;
    this.dashboard = options.dashboard
      ? addDashboard(this, 'Dashboard', watched, this.alarms, this.widget)
      : undefined;
    files.addLayer();
    checkLimits(this, {
      table: this.table,
      hasIntake: this.intake !== undefined,
      alarms: this.alarms,
      composites: alarms.composites,
      alarmsPerQueue: options.alarms === true,
    });
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
   * Adds a queue, in the stack of this construct: with a function, rules and alarms of its own. For several queues that share
   * functions, make a `Backlog` with `sharedBacklog`, in any stack of the account and region.
   *
   * @throws ConfigurationError naming the option that is invalid
   */
  addQueue(name: string, props: QueueProps, options: AddQueueOptions = {}): Backlog {
    return addQueueTo(this, name, props, options);
  }

  protected override queueNames(): string[] {
    return this.work.queues.map(({ name }) => name);
  }

  /**
   * The variables of a process that attempts records (`backlog work`), as the function of a queue has them. They hold no secret.
   *
   * @throws ConfigurationError for a queue that is not of this Backlog, or that has `deliverTo`
   */
  workEnvironment(options: WorkEnvironmentOptions = {}): Record<string, string> {
    return workEnvironment(this, this.work, options);
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

/** A Backlog around one queue: the dashboard of each would cost more than the queue. */
function addQueueTo(shared: BacklogBase, name: string, props: QueueProps, options: AddQueueOptions): Backlog {
  const id = `Queue-${name}`;
  if (shared.node.tryFindChild(id)) {
    throw new ConfigurationError(`addQueue: expected a queue that was not added before, got ${show(name)}`);
  }
  return new Backlog(shared, id, {
    dashboard: false,
    compositeAlarm: false,
    ...options,
    queues: { [name]: props },
    sharedBacklog: shared,
  });
}
