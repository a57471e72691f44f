import { Annotations, Duration, Stack, Token } from 'aws-cdk-lib';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction, RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { QueueSettings } from '../../functions/settings.js';
import { type OrderOptions, orderOptions } from '../../src/lines/order-options.js';
import { type LaneOptions, laneOptions } from '../../src/worker/index.js';
import { hasRecursiveLoop, type IntakeProps } from '../props/intake-props.js';
import { orderedOf } from '../props/order.js';
import type { Queue } from '../props/queue.js';
import { grantSend } from '../support/encryption.js';
import { grantGroupChecks, grantIndexing, grantLinePages, grantSweep } from '../tables/table-grants.js';
import { hasNewImages, type Tables } from '../tables/tables.js';
import { builtIn } from './bundles.js';
import type { EnvironmentSettings } from './environment.js';
import { type CommonSettings, ownRoleAndLogs } from './function-settings.js';
import { acknowledgeEventSources, acknowledgeSweep } from './nag.js';
import { variableBytes } from './settings-files.js';
import type { Arrivals, QueueFunction } from './workers.js';

export const INTAKE_TIMEOUT = Duration.minutes(1);
const SWEEP_TIMEOUT = Duration.minutes(5);
/** Bytes for the names of queues and functions, of Lambda's 4 KB of variables; the others need up to 1,400. */
const MAX_NAMES_BYTES = 2_700;
/** Most characters of a function's name, for one that is not known before the deployment. */
const MAX_FUNCTION_NAME = 64;

export interface IntakeSettings extends CommonSettings, Arrivals {
  readonly queues: readonly Queue[];
  /** Events of runs that failed, and records to be looked at later. */
  readonly returns: IQueue;
  readonly eventDlq: IQueue;
  readonly sweep: boolean;
  /** The sweep checks groups. */
  readonly groups: boolean;
  /** The Backlog's prop `intake`. */
  readonly own: IntakeProps;
}

/** The options of a queue that the intake knows. */
const KNOWN = Object.keys({ ...laneOptions, ...orderOptions }) as (keyof LaneOptions | keyof OrderOptions)[];

type OwnSpace = Pick<EnvironmentSettings, 'inFiles' | 'room' | 'valueBytes'>;

/** The functions that look after records which were put without `lane`. */
export interface Intake {
  readonly lambda: LambdaFunction;
  readonly sweep: LambdaFunction | undefined;
}

/**
 * Tells whether the table has a stream of new images. Without one, records that are put without `lane` are never
 * attempted, which a warning says.
 */
export function hasInsertStream(scope: Construct, { records }: Tables): boolean {
  if (hasNewImages(records)) return true;
  Annotations.of(scope).addWarningV2(
    'dynamo-backlog:no-stream',
    'the table has no stream of new images that is known here (tableStreamArn): records that are put without ' +
      '"lane" and "dueAt" will never be attempted. Give the table such a stream, or set "intake" to false if every ' +
      'producer is a BacklogClient or another Backlog looks after the table',
  );
  return false;
}

/** Picks up from the table's stream what was put without `lane`, has it attempted, or indexes it. */
export function addIntake(scope: Construct, id: string, settings: IntakeSettings): Intake {
  const { tables, returns, onArrival, restarted, eventDlq, own } = settings;
  const inner = new Construct(scope, id);
  const lambda = new LambdaFunction(inner, 'Function', {
    ...intakeOptions(inner, settings),
    description: 'Has records attempted that were put into the backlog without a lane, or indexes them',
    ...builtIn('intake'),
    // What waits for a run of 15 minutes comes back every 30 seconds: after 16 times Lambda would take it for a loop
    // without an end. https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
    ...(hasRecursiveLoop(own, Stack.of(scope).region) && { recursiveLoop: RecursiveLoop.ALLOW }),
  });
  waitForWorkers(lambda, onArrival);
  grantIndexing(lambda, tables);
  if (orderedOf(settings.queues).length > 0) grantLinePages(lambda, tables);
  grantSend(lambda, [returns, eventDlq]);
  const workers = new Set([...onArrival, ...restarted].map(({ worker }) => worker.lambda.functionArn));
  if (workers.size > 0) allow(lambda, 'lambda:InvokeFunction', [...workers]);
  acknowledgeEventSources(lambda, settings);
  const sweep = settings.sweep ? addSweep(new Construct(scope, 'Sweep'), settings) : undefined;
  return { lambda, sweep };
}

/**
 * Lets a deployment change the queues' functions, and where their failed events go, before the intake: it sends no
 * event to one that would neither know it nor give it back.
 */
function waitForWorkers(intake: LambdaFunction, onArrival: readonly QueueFunction[]): void {
  for (const { worker } of onArrival) {
    const settings = worker.lambda.node.tryFindChild('EventInvokeConfig');
    if (settings) intake.node.addDependency(settings);
  }
}

function addSweep(scope: Construct, settings: IntakeSettings): LambdaFunction {
  const { tables, returns, groups } = settings;
  const lambda = new LambdaFunction(scope, 'Function', {
    ...common(scope, settings, SWEEP_TIMEOUT, groups ? { BACKLOG_GROUPS: 'true' } : {}),
    description: 'Finds records of the backlog that no event has reached, once a day',
    ...builtIn('sweep'),
    retryAttempts: 0,
    maxEventAge: Duration.seconds(60),
  });
  grantSweep(lambda, tables);
  if (groups) grantGroupChecks(lambda, tables);
  grantSend(lambda, [returns]);
  acknowledgeSweep(lambda, settings);
  return lambda;
}

/** Grants the action on these resources alone: CDK's own grant gives the right to run every version of a function. */
function allow(lambda: IGrantable, action: string, resources: string[]): void {
  lambda.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: [action], resources }));
}

function common(
  scope: Construct,
  { queues, returns, ...settings }: IntakeSettings & OwnSpace,
  timeout: Duration,
  environment: Readonly<Record<string, string>> = {},
): ReturnType<typeof ownRoleAndLogs> {
  const named = queues.map((queue) => ({ ...queue, settings: knownOf(queue) }));
  return ownRoleAndLogs(
    scope,
    named,
    { ...settings, timeout },
    {
      ...environment,
      BACKLOG_REDELIVERY_URL: returns.queueUrl,
    },
  );
}

/** The settings that the intake knows of a queue: all settings of many queues would not fit into the environment. */
function knownOf({ retryMode, settings }: Queue): QueueSettings {
  const given = KNOWN.filter((name) => settings[name] !== undefined);
  return { retryMode, ...Object.fromEntries(given.map((name) => [name, settings[name]])) };
}

/**
 * The options of the intake. The functions' names take most of its environment: if the names of the queues do not fit
 * as well, they go into a file.
 */
function intakeOptions(scope: Construct, settings: IntakeSettings): ReturnType<typeof ownRoleAndLogs> {
  const functions = queuesByFunction(settings.onArrival);
  const others = { BACKLOG_EVENT_DLQ_URL: settings.eventDlq.queueUrl };
  if (!areSmall(settings.queues, functions)) {
    const inFiles = { BACKLOG_ARRIVAL_FUNCTIONS: Object.entries(functions) };
    const space = { room: MAX_NAMES_BYTES, valueBytes: MAX_FUNCTION_NAME };
    return common(scope, { ...settings, inFiles, ...space }, INTAKE_TIMEOUT, others);
  }
  const text = Stack.of(scope).toJsonString(functions);
  const room = MAX_NAMES_BYTES;
  return common(scope, { ...settings, room }, INTAKE_TIMEOUT, { BACKLOG_ARRIVAL_FUNCTIONS: text, ...others });
}

function queuesByFunction(onArrival: readonly QueueFunction[]): Record<string, string[]> {
  const functions: Record<string, string[]> = {};
  for (const { queue, worker } of onArrival) {
    const { functionName } = worker.lambda;
    functions[functionName] = [...(functions[functionName] ?? []), queue.name];
  }
  return functions;
}

/** Tells whether the environment has room for the names of all queues and functions. */
function areSmall(queues: readonly Queue[], functions: Readonly<Record<string, readonly string[]>>): boolean {
  const names = Object.keys(functions).map((name) =>
    Token.isUnresolved(name) ? MAX_FUNCTION_NAME : name.length,
  );
  const known = Object.fromEntries(queues.map((queue) => [queue.name, knownOf(queue)]));
  const texts = [Object.values(functions), known].map((value) => variableBytes(JSON.stringify(value)));
  return [...names, ...texts].reduce((sum, size) => sum + size, 0) <= MAX_NAMES_BYTES;
}
