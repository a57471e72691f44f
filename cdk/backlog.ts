import type { Alarm, CompositeAlarm, Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Connections, type IConnectable } from 'aws-cdk-lib/aws-ec2';
import type { Rule } from 'aws-cdk-lib/aws-events';
import type { Grant, IGrantable, IRole } from 'aws-cdk-lib/aws-iam';
import type { FunctionUrl, IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IQueue as ISqsQueue, Queue as SqsQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { ConfigurationError } from '../src/support/errors.js';
import { show } from '../src/support/validation.js';
import {
  addFunctions,
  addIntake,
  addLinks,
  addOwnMonitor,
  addRecordEvents,
  addTriggers,
  type Begun,
} from './backlog-steps.js';
import { grantSign } from './functions/completion-url.js';
import { settingsOf } from './functions/function-settings.js';
import type { Network } from './functions/network.js';
import { grantCalls } from './functions/widget.js';
import {
  type WorkEnvironmentOptions,
  type WorkSettings,
  workEnvironment,
  workSettings,
} from './functions/work-environment.js';
import { createdOf, functionsOf } from './functions/workers.js';
import { addMonitoring } from './monitoring/monitoring.js';
import type { BacklogProps } from './props/backlog-props.js';
import { readProps } from './props/backlog-shape.js';
import { orderedOf } from './props/order.js';
import { warnOfNumbers } from './props/queue-numbers.js';
import type { QueueProps } from './props/queue-props.js';
import { queuesOf } from './queues.js';
import {
  attributesOfStack,
  type BacklogAttributes,
  importParts,
  type StackAttributes,
} from './sharing/backlog-attributes.js';
import { type AddQueueOptions, BacklogBase, type IBacklog } from './sharing/backlog-base.js';
import { ImportedBacklog } from './sharing/imported-backlog.js';
import { claim, nameByStack, ownerOf } from './sharing/shared-backlog.js';
import { describeInTemplate } from './sharing/template-metadata.js';
import { checkLimits } from './support/limits.js';
import { addParameters } from './tables/table-parameters.js';
import { type CreatedTable, tablesOf } from './tables/tables.js';
import { addEventQueues } from './triggers/given-up-events.js';
import { ticksOf } from './triggers/ticks.js';

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
   * A backlog of the same account and region, by the stack that has its tables and an intake. The attributes are read
   * at each deployment, from the parameters that the stack has written into Systems Manager.
   *
   * @throws ConfigurationError naming the attribute that is missing or invalid
   */
  static fromStack(scope: Construct, id: string, stack: StackAttributes): IBacklog {
    const { stackName, backlogName = 'backlog' } = stack;
    const partsIn = (inner: Construct) =>
      importParts(inner, attributesOfStack(inner, stack), nameByStack(stackName, backlogName));
    return new ImportedBacklog(scope, id, partsIn, addQueueTo);
  }

  /** The table that holds the records. */
  readonly table: ITable;
  /** The table that holds the records, if it is made here; missing with `table` and `sharedBacklog`. */
  readonly createdTable: CreatedTable | undefined;
  /** Leases, journals and the queues' own items. */
  readonly controlTable: ITable;
  /** The control table, if it is made here; missing with `controlTable` and `sharedBacklog`. */
  readonly createdControlTable: CreatedTable | undefined;
  /**
   * Events that no function took or finished. With `trigger: 'scheduler'`, only events that a function took and did not
   * finish.
   */
  readonly eventDlq: SqsQueue;
  /** Events of runs that were lost, and ids of records that the intake looks at later; missing without an intake. */
  readonly redelivery: ISqsQueue | undefined;
  /** The role by which the intake starts functions; missing without an intake. */
  readonly intakeRole: IRole | undefined;
  /** Events that EventBridge Scheduler could not deliver; missing with rules. */
  readonly scheduleDeadLetters: SqsQueue | undefined;
  /** The rules that start the functions; none with `trigger: 'scheduler'`. */
  readonly rules: readonly Rule[];
  /** The schedules that start the functions; none without `trigger: 'scheduler'`. */
  readonly schedules: readonly CfnSchedule[];
  /**
   * The functions that attempt the records, by queue. Queues of a worker share one; queues with `deliverTo` share one
   * per retry mode. That of the prop `recurring` is among them.
   */
  readonly functions: Readonly<Record<string, IFunction>>;
  /**
   * The functions that are made here, by queue: of queues and workers with `entry`, of queues with
   * `deliverTo`, and of `recurring`.
   */
  readonly createdFunctions: Readonly<Record<string, LambdaFunction>>;
  /** Dispatches or indexes records that were put without `lane`; missing without a stream, or if it was turned off. */
  readonly intake: LambdaFunction | undefined;
  /** Finds, once a day, records that the intake was not notified of. */
  readonly sweep: LambdaFunction | undefined;
  /** Tells others of the ends of records, and counts the members of groups; missing without `recordEvents` and `groups`. */
  readonly recordEvents: LambdaFunction | undefined;
  /** Ends attempts by links; missing without `completionUrl`. */
  readonly completionFunction: LambdaFunction | undefined;
  /** The URL of that function, which links begin with. */
  readonly completionUrl: FunctionUrl | undefined;
  /** The secret that signs links. */
  readonly completionSecret: Secret | undefined;
  /** Reads every five minutes how much waits, and for how long; missing with `metrics: 'off'`. */
  readonly monitor: LambdaFunction | undefined;
  /** The names of the queues whose rules or schedules do not fire. */
  readonly disabledQueues: readonly string[];
  /** Its alarms; none with `alarms: false`. */
  readonly alarms: readonly Alarm[];
  /** The alarm that is on while any of `alarms` is; missing with `compositeAlarm: false`. */
  readonly compositeAlarm: CompositeAlarm | undefined;
  /** Its dashboard; missing with `dashboard: false`. */
  readonly dashboard: Dashboard | undefined;
  /** Draws the overview on the dashboard; missing without `widget`. */
  readonly widget: LambdaFunction | undefined;
  /** Does what the overview's buttons say; missing without `widget: true`. */
  readonly widgetActions: LambdaFunction | undefined;

  protected readonly writesSingly: boolean;
  private readonly shared: Connections | undefined;
  private readonly work: WorkSettings;

  /** @throws ConfigurationError at synthesis, naming the option that is invalid */
  constructor(scope: Construct, id: string, props: BacklogProps) {
    super(scope, id);
    const options = readProps(props);
    const { sharedBacklog: shared } = options;
    const { queues, workers } = queuesOf(this, options);
    warnOfNumbers(this, queues);

    const tables = tablesOf(this, { ...options, hasOrder: orderedOf(queues).length > 0 });
    ({ records: this.table, control: this.controlTable } = tables);
    ({ records: this.createdTable, control: this.createdControlTable } = tables.created);
    this.writesSingly = !options.groupWrites;
    claim(this, queues, options);

    const { eventDlq, returns } = addEventQueues(this, tables, options);
    this.eventDlq = eventDlq;
    this.redelivery = returns ?? shared?.redelivery;

    const common = settingsOf(this, options, { tables, owner: ownerOf(this, shared) });
    this.shared = connectionsOf(common.network);
    const begun: Begun = { options, queues, common, eventDlq, redelivery: this.redelivery };

    const links = addLinks(this, options, common);
    this.completionFunction = links?.lambda;
    this.completionUrl = links?.url;
    this.completionSecret = links?.secret;
    this.work = workSettings(options, queues, { ...common, linkVariables: links?.variables });

    const { assigned, arrivals } = addFunctions(this, begun, { workers, links });
    this.functions = functionsOf(assigned);
    this.createdFunctions = createdOf(assigned);
    this.disabledQueues = queues.filter(({ enabled }) => !enabled).map(({ name }) => name);

    const intake = returns && addIntake(this, begun, { arrivals, returns });
    this.intake = intake?.lambda;
    this.sweep = intake?.sweep;
    this.intakeRole = this.intake?.role ?? shared?.intakeRole;
    if (!shared) addParameters(this, this, options.backlogName);

    const recordEvents = addRecordEvents(this, begun);
    this.recordEvents = recordEvents?.lambda;
    this.monitor = addOwnMonitor(this, begun, { intake, recordEvents });

    const ticks = ticksOf(assigned, this);
    const triggers = addTriggers(this, ticks, begun);
    ({ rules: this.rules, schedules: this.schedules } = triggers);
    this.scheduleDeadLetters = triggers.scheduleDeadLetters;

    const { runSeconds: processSeconds } = this.work;
    describeInTemplate(this, { ...options, ...arrivals, queues, assigned, processSeconds });

    const monitoring = addMonitoring(this, options, { ...common, queues, assigned, ticks });
    ({ alarms: this.alarms, compositeAlarm: this.compositeAlarm, dashboard: this.dashboard } = monitoring);
    this.widget = monitoring.widget?.overview;
    this.widgetActions = monitoring.widget?.actions;

    common.files.addLayer();
    const alarmsPerQueue = options.alarms === true;
    checkLimits(this, { ...monitoring, alarmsPerQueue }, options.minimal);
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

  override grantWork(grantee: IGrantable): Grant {
    const granted = super.grantWork(grantee);
    const { completionSecret: secret } = this;
    return secret ? granted.combine(grantSign(grantee, secret)) : granted;
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

function connectionsOf({ securityGroups }: Network): Connections | undefined {
  return securityGroups && new Connections({ securityGroups });
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
