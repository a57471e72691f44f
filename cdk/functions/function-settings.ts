import { type Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type IRole, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  Architecture,
  CfnLayerVersion,
  type FunctionOptions,
  type ILayerVersion,
  LoggingFormat,
  Runtime,
  type SystemLogLevel,
  type Tracing,
} from 'aws-cdk-lib/aws-lambda';
import type { BundlingOptions } from 'aws-cdk-lib/aws-lambda-nodejs';
import { type ILogGroup, LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { MetricsLevel } from '../../functions/metrics-level.js';
import { ConfigurationError } from '../../src/support/errors.js';
import type { EntrySettings } from '../props/function-shape.js';
import type { Queue } from '../props/queue.js';
import type { Tables } from '../tables/tables.js';
import { type EnvironmentSettings, handlerEnvironment, roomBeside } from './environment.js';
import { grantNetwork, type Network, ownNetwork, sharedNetwork } from './network.js';
import { SettingsFiles } from './settings-files.js';

/** Settings that all functions of a backlog have in common. */
export interface CommonSettings {
  readonly tables: Tables;
  readonly files: SettingsFiles;
  readonly memorySize: number;
  readonly logRetention: RetentionDays;
  /** The tables' own: it decides about logs, too. */
  readonly removalPolicy: RemovalPolicy;
  readonly metrics: MetricsLevel;
  readonly owner: string;
  readonly standby: boolean;
  readonly primaryRegion?: string | undefined;
  readonly systemLogLevel: SystemLogLevel;
  readonly logLevel: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
  readonly tracing: Tracing;
  readonly architecture: Architecture;
  readonly runtime: Runtime;
  readonly network: Network;
  /** The key of log groups, and of SQS queues. */
  readonly encryptionKey?: IKey | undefined;
  readonly environmentEncryption?: IKey | undefined;
}

/** Things that a Backlog makes once, for all its functions. */
type Made = Pick<CommonSettings, 'tables' | 'files' | 'network' | 'owner'>;
type CommonOptions = Omit<CommonSettings, keyof Made | 'architecture' | 'runtime'> & {
  readonly architecture?: Architecture | undefined;
  readonly runtime?: Runtime | undefined;
};

/** The props of a Backlog that are for all functions, with their defaults, and what it has made for them. */
function commonSettings(options: CommonOptions, made: Made): CommonSettings {
  const { memorySize, logRetention, systemLogLevel, logLevel, tracing, metrics } = options;
  const { standby, primaryRegion, removalPolicy } = options;
  const { architecture = Architecture.ARM_64, runtime = Runtime.NODEJS_24_X } = options;
  const ofAll = {
    memorySize,
    logRetention,
    removalPolicy,
    systemLogLevel,
    logLevel,
    tracing,
    metrics,
    standby,
    primaryRegion,
    architecture,
    runtime,
  };
  const { encryptionKey, environmentEncryption = encryptionKey } = options;
  return { ...ofAll, ...made, encryptionKey, environmentEncryption };
}

/**
 * The settings of all functions of a Backlog. Makes their security group, if they are in a VPC.
 *
 * @throws ConfigurationError naming the option
 */
export function settingsOf(
  scope: Construct,
  options: CommonOptions & Network & Pick<FunctionSettings, 'layers'>,
  made: Pick<Made, 'tables' | 'owner'>,
): CommonSettings {
  const network = sharedNetwork(scope, options);
  const settings = commonSettings(options, { ...made, network, files: new SettingsFiles(scope) });
  checkLayers(options.layers, settings.architecture, 'Backlog');
  return settings;
}

/** The things that a handler needs to make links which end attempts. */
export interface LinkSettings {
  readonly variables: Readonly<Record<string, string>>;
  /** The secret that signs. */
  readonly secret: Secret;
}

/** The settings of the functions that attempt records. */
export interface FunctionSettings extends CommonSettings {
  readonly timeout: Duration;
  /** The queue for asynchronous events that a function failed on. */
  readonly failedEvents: IQueue;
  /** There is no intake: what is inserted is to be indexed at once. */
  readonly indexesAtOnce: boolean;
  /** The links that handlers make to end attempts. */
  readonly links?: LinkSettings | undefined;
  readonly layers?: readonly ILayerVersion[] | undefined;
  readonly bundling?: BundlingOptions | undefined;
  readonly reservedConcurrentExecutions?: number | undefined;
}

type OfBacklog = Pick<FunctionSettings, 'failedEvents' | 'indexesAtOnce' | 'links'>;

/** Props of a Backlog for the functions that attempt records. */
export function runSettingsOf(
  common: CommonSettings,
  {
    timeout,
    layers,
    bundling,
    reservedConcurrentExecutions,
  }: Omit<FunctionSettings, keyof CommonSettings | keyof OfBacklog>,
  ofBacklog: OfBacklog,
): FunctionSettings {
  return { ...common, timeout, layers, bundling, reservedConcurrentExecutions, ...ofBacklog };
}

/** Settings that one function has of its own. */
interface OwnSettings extends Pick<EnvironmentSettings, 'room' | 'inFiles' | 'valueBytes'> {
  readonly timeout: Duration;
  readonly role?: IRole | undefined;
  readonly logGroup?: ILogGroup | undefined;
}

type OfEntryOnly = 'projectRoot' | 'depsLockFilePath';

/** The settings of a queue's or a worker's own function: each of its own takes the place of the Backlog's. */
export function withOwn(
  scope: Construct,
  path: string,
  { vpc, vpcSubnets, securityGroups, role, ...own }: EntrySettings,
  common: FunctionSettings,
): FunctionSettings & OwnSettings & Pick<EntrySettings, OfEntryOnly> {
  if (role) checkTrust(role, path);
  const network = ownNetwork(scope, path, { vpc, vpcSubnets, securityGroups }, common.network);
  const settings = { ...common, ...own, role, network };
  checkLayers(settings.layers, settings.architecture, path);
  return settings;
}

/**
 * Refuses a role of this app that Lambda may not assume, as Lambda's own error does not say why. A role of another app
 * is not known here.
 */
function checkTrust(role: IRole, path: string): void {
  if (!(role instanceof Role) || role.assumeRolePolicy === undefined) return;
  const policy: unknown = Stack.of(role).resolve(role.assumeRolePolicy.toJSON());
  if (JSON.stringify(policy).includes('lambda.amazonaws.com')) return;
  throw new ConfigurationError(
    `${path}.role: expected a role that Lambda may assume: make it with new ServicePrincipal('lambda.amazonaws.com') ` +
      `in "assumedBy", got ${role.node.path}`,
  );
}

/**
 * Refuses layers of another architecture. The CDK compares runtimes only, and Lambda would fail in the middle of a
 * deployment.
 */
function checkLayers(
  layers: readonly ILayerVersion[] | undefined,
  { name }: Architecture,
  path: string,
): void {
  for (const layer of layers ?? []) {
    const { defaultChild: made } = layer.node;
    const fitting = made instanceof CfnLayerVersion ? (made.compatibleArchitectures ?? []) : [];
    if (fitting.length === 0 || fitting.includes(name)) continue;
    throw new ConfigurationError(
      `${path}.layers: expected layers for ${name}, got ${layer.node.path}, which is for ${fitting.join(' and ')}: set ` +
        '"architecture", or give the layer another one',
    );
  }
}

/**
 * Removal policy of logs. They outlive a function that leaves the stack, such as one that a queue no longer uses, for their
 * retention, unless the records go as well. A first deployment that fails leaves none behind.
 */
function logRemoval(ofRecords: RemovalPolicy): RemovalPolicy {
  return ofRecords === RemovalPolicy.DESTROY ? ofRecords : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
}

/** Makes the role and the log group of a function, unless they are given, and returns the options that every function has. */
export function ownRoleAndLogs(
  scope: Construct,
  queues: readonly Queue[],
  settings: CommonSettings & OwnSettings,
  environment: Readonly<Record<string, string>> = {},
): FunctionOptions & { readonly runtime: Runtime } {
  const { network, encryptionKey, environmentEncryption, room = roomBeside(environment) } = settings;
  const logGroup =
    settings.logGroup ??
    new LogGroup(scope, 'Logs', {
      retention: settings.logRetention,
      removalPolicy: logRemoval(settings.removalPolicy),
      ...(encryptionKey && { encryptionKey }),
    });
  // A role of our own: the managed policy that CDK would attach may write to any log group.
  const role =
    settings.role ?? new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  if (network.vpc) grantNetwork(scope, role);
  environmentEncryption?.grantDecrypt(role);
  return {
    runtime: settings.runtime,
    architecture: settings.architecture,
    memorySize: settings.memorySize,
    timeout: settings.timeout,
    role,
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    systemLogLevelV2: settings.systemLogLevel,
    tracing: settings.tracing,
    ...(network.vpc && { vpc: network.vpc }),
    ...(network.vpcSubnets && { vpcSubnets: network.vpcSubnets }),
    ...(network.securityGroups && { securityGroups: network.securityGroups }),
    ...(environmentEncryption && { environmentEncryption }),
    environment: {
      ...(settings.logLevel === 'INFO' ? {} : { POWERTOOLS_LOG_LEVEL: settings.logLevel }),
      ...environment,
      ...handlerEnvironment(scope, queues, { ...settings, room }, settings.timeout.toSeconds()),
    },
  };
}
