import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Annotations, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type IGrantable, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  type EventInvokeConfigOptions,
  type FunctionOptions,
  type IFunction,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  type SystemLogLevel,
  type Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { LogLevel, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { MetricsLevel } from '../functions/metrics-level.js';
import { ConfigurationError } from '../src/errors.js';
import type { RetryMode } from '../src/record/index.js';
import { LEAST_SPARE_SECONDS } from '../src/worker/index.js';
import { urlOf } from './delivery.js';
import { handlerEnvironment } from './environment.js';
import { hasEsbuild } from './esbuild.js';
import { acknowledgeRuns } from './nag.js';
import type { Queue, Work } from './queue.js';
import { grantSecrets } from './secrets.js';
import { grantWork, type Tables } from './tables.js';
import { isOwnFunction } from './values.js';

/** What all functions of a backlog have in common. */
export interface CommonSettings {
  readonly tables: Tables;
  readonly memorySize: number;
  readonly logRetention: RetentionDays;
  readonly metrics: MetricsLevel;
  readonly systemLogLevel: SystemLogLevel;
  readonly tracing: Tracing;
}

export interface FunctionSettings extends CommonSettings {
  readonly timeout: Duration;
  /** Where asynchronous events end up that a function failed on. */
  readonly failedEvents: IQueue;
}

/** What does the work of a queue. */
export interface Worker {
  /** For alarms and dashboards. */
  readonly name: string;
  readonly lambda: IFunction;
  /** How long a run may take: the bands of a progressive queue keep that distance. */
  readonly timeoutSeconds: number;
  /** Events that it fails on come back: nothing is lost by asynchronous invocation. */
  readonly redeliveryEvents: boolean;
}

export const RUNTIME = Runtime.NODEJS_24_X;
/** A function without a timeout of its own. */
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
  const inner = new Construct(scope, name);
  warnOfLoopback(inner, queues);
  const lambda = new LambdaFunction(inner, 'Function', {
    ...commonProps(inner, queues, settings),
    description: `Delivers by HTTP what is due in the backlog (${bundle})`,
    runtime: RUNTIME,
    handler: 'index.handler',
    code: Code.fromAsset(handlerFolder(bundle)),
  });
  for (const { work } of queues) if (work.type === 'delivery') grantSecrets(lambda, work.secrets);
  acknowledgeRuns(lambda, settings.tracing);
  return finish({ name, lambda, redeliveryEvents: true }, queues, settings.timeout, settings.tables);
}

/**
 * Right for the local runtime, which synthesizes the same app; a mistake in the cloud that would show by failures
 * only.
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
  /** The queue's, or the worker's. */
  readonly name: string;
  /** Of its props, for errors. */
  readonly path: string;
  readonly queues: readonly Queue[];
}

/** Lambda takes 256 characters. */
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
  settings: FunctionSettings,
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
  const lambda = new NodejsFunction(scope, 'Function', {
    ...commonProps(scope, queues, settings, work.environment),
    description: describeQueues(queues),
    runtime: RUNTIME,
    handler: 'handler',
    entry,
    awsSdkConnectionReuse: false,
    bundling: {
      format: OutputFormat.ESM,
      logLevel: LogLevel.WARNING,
      target: 'node24',
      minify: true,
      keepNames: true,
      mainFields: ['module', 'main'],
      bundleAwsSDK: true,
      externalModules: [],
      banner:
        "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  });
  acknowledgeRuns(lambda, settings.tracing);
  return finish({ name, lambda, redeliveryEvents: true }, queues, settings.timeout, settings.tables);
}

/** A function of the user's: of this app, it gets everything that the others get; an imported one its rights only. */
export function ownFunction({ name, queues }: Served, lambda: IFunction, settings: FunctionSettings): Worker {
  if (!isOwnFunction(lambda)) {
    return finish({ name, lambda, redeliveryEvents: false }, queues, settings.timeout, settings.tables);
  }
  const timeout = lambda.timeout ?? LAMBDA_DEFAULT_TIMEOUT;
  const environment = handlerEnvironment(lambda, queues, settings, timeout.toSeconds());
  for (const [name, value] of Object.entries(environment)) lambda.addEnvironment(name, value);
  const isConfigured = lambda.node.tryFindChild('EventInvokeConfig') !== undefined;
  if (!isConfigured) lambda.configureAsyncInvoke(onceOnly(settings));
  return finish({ name, lambda, redeliveryEvents: !isConfigured }, queues, timeout, settings.tables);
}

function commonProps(
  scope: Construct,
  queues: readonly Queue[],
  settings: FunctionSettings,
  environment: Readonly<Record<string, string>> = {},
): FunctionOptions {
  return { ...ownRoleAndLogs(scope, queues, settings, environment), ...onceOnly(settings) };
}

/** What all functions have, however they are invoked. */
export function ownRoleAndLogs(
  scope: Construct,
  queues: readonly Queue[],
  settings: CommonSettings & { readonly timeout: Duration },
  environment: Readonly<Record<string, string>> = {},
): FunctionOptions {
  const logGroup = new LogGroup(scope, 'Logs', {
    retention: settings.logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  // A role of our own: the managed policy that CDK would attach may write to any log group.
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  return {
    architecture: Architecture.ARM_64,
    memorySize: settings.memorySize,
    timeout: settings.timeout,
    role,
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    systemLogLevelV2: settings.systemLogLevel,
    tracing: settings.tracing,
    environment: {
      ...environment,
      ...handlerEnvironment(scope, queues, settings, settings.timeout.toSeconds()),
    },
  };
}

/** The next rule event does what this one did not; a repetition would only compete with it. 60 s is Lambda's minimum. */
function onceOnly({ failedEvents }: FunctionSettings): EventInvokeConfigOptions {
  return {
    retryAttempts: 0,
    maxEventAge: Duration.seconds(60),
    onFailure: new SqsDestination(failedEvents),
  };
}

function finish(
  worker: Omit<Worker, 'timeoutSeconds' | 'lambda'> & { readonly lambda: IFunction & IGrantable },
  queues: readonly Queue[],
  timeout: Duration,
  tables: Tables,
): Worker {
  const timeoutSeconds = timeout.toSeconds();
  for (const { name: queue, attemptTimeout } of queues) {
    if (attemptTimeout > timeoutSeconds - LEAST_SPARE_SECONDS) {
      throw new ConfigurationError(
        `queues.${queue}.attemptTimeout: an attempt of ${attemptTimeout} s does not fit into its function, ` +
          `which ends after ${timeoutSeconds} s (timeout) and needs ${LEAST_SPARE_SECONDS} s of them for itself`,
      );
    }
  }
  grantWork(worker.lambda, tables);
  return { ...worker, timeoutSeconds };
}

/** The bundles that `npm run build` makes: built-in delivery for each retry mode, and what is beside the queues. */
export type Bundle =
  | 'fibonacci'
  | 'progressive'
  | 'intake'
  | 'sweep'
  | 'monitor'
  | 'widget'
  | 'widget-actions';

/**
 * The folder of a bundle, whether this file runs compiled (dist/cdk) or from source (cdk).
 *
 * @throws ConfigurationError if it has not been built
 */
export function handlerFolder(bundle: Bundle, base: string = import.meta.url): string {
  const folders = [`../handlers/${bundle}`, `../dist/handlers/${bundle}`].map((path) =>
    fileURLToPath(new URL(path, base)),
  );
  const found = folders.find((folder) => existsSync(`${folder}/index.mjs`));
  if (!found) {
    throw new ConfigurationError(
      `The built-in handler "${bundle}" is not there: run "npm run build" first (looked in ${folders.join(' and ')})`,
    );
  }
  return found;
}
