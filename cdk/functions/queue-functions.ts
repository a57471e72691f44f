import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Annotations, Duration, Stack } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  type EventInvokeConfigOptions,
  type IFunction,
  Function as LambdaFunction,
  RuntimeFamily,
} from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { RetryMode } from '../../src/record/index.js';
import { ConfigurationError } from '../../src/support/errors.js';
import { MIN_SPARE_SECONDS, QUEUE_DEFAULTS } from '../../src/worker/index.js';
import { urlOf } from '../props/delivery.js';
import { nodeVersion, OLDEST_NODE } from '../props/function-shape.js';
import type { Queue, Work } from '../props/queue.js';
import { isSecret, type UsedSecret } from '../props/secrets.js';
import { checkDuration } from '../support/tokens.js';
import { isOwnFunction } from '../support/values.js';
import { grantWork } from '../tables/table-grants.js';
import type { Tables } from '../tables/tables.js';
import { builtIn } from './bundles.js';
import { entryBundling } from './entry-bundling.js';
import { handlerEnvironment } from './environment.js';
import { hasEsbuild } from './esbuild.js';
import { type FunctionSettings, ownRoleAndLogs, withOwn } from './function-settings.js';
import { describeBundle } from './local-bundle.js';
import { acknowledgeRuns } from './nag.js';
import { checkLayerRoom, checkTakesLayer, readsFile } from './settings-files.js';

/** The function that attempts the records of a queue. */
export interface Worker {
  /** Its name in alarms and on dashboards. */
  readonly name: string;
  readonly lambda: IFunction;
  /** The longest time that a run takes: the bands of a progressive queue begin one such time apart. */
  readonly timeoutSeconds: number;
  /** Events that it fails on come back, so asynchronous invocation loses none. */
  readonly redeliveryEvents: boolean;
  /** The same function, if it is made here. */
  readonly created?: LambdaFunction | undefined;
  /** The log group of a function that is made here. */
  readonly logGroup?: ILogGroup | undefined;
}

/** Lambda's timeout for a function that gives none. */
const LAMBDA_DEFAULT_TIMEOUT = Duration.seconds(3);

const DELIVERY = {
  perRecord: { name: 'FibonacciDelivery', bundle: 'fibonacci' },
  progressive: { name: 'ProgressiveDelivery', bundle: 'progressive' },
} as const;

/** The built-in HTTP delivery of all the queues of one retry mode. */
export function deliveryFunction(
  scope: Construct,
  retryMode: RetryMode,
  queues: readonly Queue[],
  settings: FunctionSettings,
): Worker {
  const { name, bundle } = DELIVERY[retryMode];
  const { reservedConcurrentExecutions: reserved } = settings;
  const inner = new Construct(scope, name);
  warnOfLoopback(inner, queues);
  const lambda = new LambdaFunction(inner, 'Function', {
    ...commonProps(inner, queues, settings, 'Backlog'),
    description: `Delivers by HTTP what is due in the backlog (${bundle})`,
    ...builtIn(bundle),
    ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
  });
  warnOfReservation(inner, 'Backlog', queues, reserved);
  for (const { work } of queues) if (work.type === 'delivery') grantSecrets(lambda, work.secrets);
  acknowledgeRuns(lambda, settings);
  return finish(
    { name, lambda, redeliveryEvents: true, created: lambda, logGroup: lambda.logGroup },
    queues,
    settings.timeout,
    settings.tables,
  );
}

/** Grants exactly the secrets that the function reads, and the use of the keys that encrypt them. */
function grantSecrets(grantee: IGrantable, used: readonly UsedSecret[]): void {
  for (const { holder, stages } of used) {
    if (isSecret(holder)) {
      holder.grantRead(grantee, [...stages]);
    } else {
      Grant.addToPrincipal({ grantee, actions: ['ssm:GetParameter'], resourceArns: [holder.parameterArn] });
      (holder as { encryptionKey?: IKey }).encryptionKey?.grantDecrypt(grantee);
    }
  }
}

/**
 * Warns of a destination on this machine. It is right for the local runtime, which synthesizes the same app, and a
 * mistake in the cloud that would show by failures only.
 */
function warnOfLoopback(scope: Construct, queues: readonly Queue[]): void {
  for (const { name, settings } of queues) {
    if (!urlOf(settings.deliverTo)?.startsWith('http:')) continue;
    Annotations.of(scope).addWarningV2(
      `dynamo-backlog:loopback:${name}`,
      `queues.${name}.deliverTo is on this machine: deployed, the function would look for it in its own sandbox, and refuses it`,
    );
  }
}

/** Queues that one function serves. */
export interface Served {
  /** The name of the queue or the worker. */
  readonly name: string;
  /** The path of its props, for errors. */
  readonly path: string;
  readonly queues: readonly Queue[];
}

/** The description of a function by its queues, in the 256 characters that Lambda takes. */
function describeQueues(queues: readonly Queue[]): string {
  const names = queues.map(({ name }) => name).join(', ');
  const text = `Attempts what is due in the backlog's ${queues.length === 1 ? 'queue' : 'queues'} ${names}`;
  return text.length > 256 ? `${text.slice(0, 253)}...` : text;
}

/** The user's own module, bundled. */
export function entryFunction(
  scope: Construct,
  { name, path, queues }: Served,
  work: Extract<Work, { type: 'entry' }>,
  common: FunctionSettings,
): Worker {
  const entry = resolve(work.entry);
  if (!existsSync(entry)) {
    throw new ConfigurationError(
      `${path}.entry: expected a file that exports "handler", found none at ${entry}`,
    );
  }
  if (Stack.of(scope).bundlingRequired && !hasEsbuild()) {
    throw new ConfigurationError(
      `${path}.entry: expected esbuild to be installed, which bundles it: npm install --save-dev esbuild`,
    );
  }
  const settings = withOwn(scope, path, work.settings, common);
  const { reservedConcurrentExecutions, projectRoot, depsLockFilePath } = settings;
  const bundling = entryBundling(scope, settings);
  const lambda = new NodejsFunction(scope, 'Function', {
    ...commonProps(scope, queues, settings, work.settings.layers ? path : 'Backlog', work.environment),
    description: describeQueues(queues),
    handler: 'handler',
    entry,
    awsSdkConnectionReuse: false,
    ...(reservedConcurrentExecutions !== undefined && { reservedConcurrentExecutions }),
    ...(projectRoot !== undefined && { projectRoot }),
    ...(depsLockFilePath !== undefined && { depsLockFilePath }),
    bundling,
  });
  describeBundle(lambda, entry, bundling);
  warnOfReservation(scope, path, queues, reservedConcurrentExecutions);
  acknowledgeRuns(lambda, settings);
  return finish(
    { name, lambda, redeliveryEvents: true, created: lambda, logGroup: lambda.logGroup },
    queues,
    settings.timeout,
    settings.tables,
  );
}

/** Warns of a reservation below the runs that may be started at once: those on insertion, and the one of the rule. */
function warnOfReservation(
  scope: Construct,
  path: string,
  queues: readonly Queue[],
  reserved: number | undefined,
): void {
  if (reserved === undefined) return;
  const onArrival = queues.map(({ firstAttempt, settings }) =>
    firstAttempt === 'scheduled' ? 0 : (settings.onInsertConcurrency ?? QUEUE_DEFAULTS.onInsertConcurrency),
  );
  const needed = onArrival.reduce((sum, runs) => sum + runs, 1);
  if (reserved >= needed) return;
  Annotations.of(scope).addWarningV2(
    'dynamo-backlog:reserved-concurrency',
    `${path}.reservedConcurrentExecutions is ${reserved}, and up to ${needed} runs may be started at once: those that find no ` +
      'room are throttled and come back up to a minute later. Raise it, or lower "onInsertConcurrency"',
  );
}

/** A function of the user's: of this app, it gets everything that the others get; an imported one its rights only. */
export function ownFunction(
  { name, path, queues }: Served,
  lambda: IFunction,
  settings: FunctionSettings,
): Worker {
  if (!isOwnFunction(lambda)) {
    return finish({ name, lambda, redeliveryEvents: false }, queues, settings.timeout, settings.tables);
  }
  checkRuntime(lambda, path);
  const timeout = lambda.timeout ?? LAMBDA_DEFAULT_TIMEOUT;
  checkDuration(timeout, `${path}.handler.timeout`);
  const environment = handlerEnvironment(lambda, queues, settings, timeout.toSeconds());
  if (readsFile(environment)) checkTakesLayer(lambda, `${path}.handler`);
  for (const [name, value] of Object.entries(environment)) lambda.addEnvironment(name, value);
  const redeliveryEvents = givesEventsBack(lambda);
  if (redeliveryEvents) lambda.configureAsyncInvoke(onceOnly(settings));
  return finish({ name, lambda, redeliveryEvents }, queues, timeout, settings.tables);
}

/** A runtime of another language cannot have the handler. An image, or a runtime of the user's own, may have Node.js. */
function checkRuntime({ runtime }: LambdaFunction, path: string): void {
  const { family, name } = runtime;
  const isKnown = family !== undefined && family !== RuntimeFamily.OTHER;
  if (!isKnown || nodeVersion(runtime) >= OLDEST_NODE) return;
  throw new ConfigurationError(
    `${path}.handler: expected a function with a runtime of Node.js ${OLDEST_NODE} or later, as its handler is made by ` +
      `backlogHandler, got ${name}`,
  );
}

/** Tells whether events that it fails on come back: not if its asynchronous invocation is configured elsewhere. */
export function givesEventsBack(handler: IFunction): boolean {
  return isOwnFunction(handler) && handler.node.tryFindChild('EventInvokeConfig') === undefined;
}

export function commonProps(
  scope: Construct,
  queues: readonly Queue[],
  settings: FunctionSettings,
  path: string,
  environment: Readonly<Record<string, string>> = {},
): ReturnType<typeof ownRoleAndLogs> {
  const { layers } = settings;
  const options = ownRoleAndLogs(scope, queues, settings, environment);
  if (readsFile(options.environment)) checkLayerRoom(layers, path);
  return {
    ...options,
    ...onceOnly(settings),
    ...(layers && { layers: [...layers] }),
  };
}

/**
 * Options of asynchronous invocation: an event is tried once, as the next rule event does what it did not and a
 * repetition would only compete with it. 60 s is Lambda's minimum.
 */
function onceOnly({ failedEvents }: FunctionSettings): EventInvokeConfigOptions {
  return {
    retryAttempts: 0,
    maxEventAge: Duration.seconds(60),
    onFailure: new SqsDestination(failedEvents),
  };
}

export function finish(
  worker: Omit<Worker, 'timeoutSeconds' | 'lambda'> & { readonly lambda: IFunction & IGrantable },
  queues: readonly Queue[],
  timeout: Duration,
  tables: Tables,
): Worker {
  const timeoutSeconds = timeout.toSeconds();
  for (const { name: queue, attemptTimeout } of queues) {
    if (attemptTimeout > timeoutSeconds - MIN_SPARE_SECONDS) {
      throw new ConfigurationError(
        `queues.${queue}.attemptTimeout: an attempt of ${attemptTimeout} s does not fit into its function, ` +
          `which ends after ${timeoutSeconds} s (timeout) and needs ${MIN_SPARE_SECONDS} s of them for itself`,
      );
    }
  }
  grantWork(worker.lambda, tables);
  return { ...worker, timeoutSeconds };
}
