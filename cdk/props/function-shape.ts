import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import {
  type Architecture,
  type ILayerVersion,
  type Runtime,
  RuntimeFamily,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { type BundlingOptions, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { type ILogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';
import { ConfigurationError } from '../../src/support/errors.js';
import { functionTimeout, having, key } from '../support/values.js';

export const OLDEST_NODE = 20;

/** The major version of Node.js; 0 for another runtime. */
export function nodeVersion({ family, name }: Runtime): number {
  return family === RuntimeFamily.NODEJS ? Number.parseInt(name.replace(/^nodejs/, ''), 10) : 0;
}

const runtime = having<Runtime>('name', 'string', 'expected a Runtime').refine(
  (value) => nodeVersion(value) >= OLDEST_NODE,
  `expected a runtime of Node.js ${OLDEST_NODE} or later, such as Runtime.NODEJS_24_X`,
);

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

const bundling = z
  .custom<BundlingOptions>(isObject, 'expected options of bundling, such as { sourceMap: true }')
  .refine(
    ({ format }) => format === undefined || format === OutputFormat.ESM,
    'expected no "format" but OutputFormat.ESM, as this package consists of ES modules',
  );

/** The props of functions that a Backlog, a queue and a worker take. */
export const functionShape = {
  vpc: having<IVpc>('selectSubnets', 'function', 'expected a VPC (IVpc)').optional(),
  vpcSubnets: z
    .custom<SubnetSelection>(isObject, 'expected a selection of subnets (SubnetSelection)')
    .optional(),
  securityGroups: z
    .array(
      having<ISecurityGroup>('securityGroupId', 'string', 'expected a security group (ISecurityGroup)'),
      'expected a list of security groups',
    )
    .min(1, 'expected at least one security group, or nothing for a new one')
    .max(5, 'expected at most 5 security groups, as Lambda takes no more')
    .optional(),
  architecture: having<Architecture>(
    'dockerPlatform',
    'string',
    'expected Architecture.ARM_64 or Architecture.X86_64',
  ).optional(),
  runtime: runtime.optional(),
  layers: z
    .array(
      having<ILayerVersion>('layerVersionArn', 'string', 'expected a layer (ILayerVersion)'),
      'expected a list of layers',
    )
    .max(5, 'expected at most 5 layers, as Lambda takes no more')
    .optional(),
  environmentEncryption: key.optional(),
  bundling: bundling.optional(),
};

export const logLevel = z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']);

export const reservedConcurrentExecutions = z
  .int()
  .min(1, 'expected at least 1: to stop a queue, give it "enabled": false');

/** The props that only a queue and a worker with `entry` take. */
const entryOnlyShape = {
  timeout: functionTimeout.optional(),
  memorySize: z.int().min(128).max(10_240).optional(),
  reservedConcurrentExecutions: reservedConcurrentExecutions.optional(),
  role: having<IRole>('roleArn', 'string', 'expected a role (IRole)').optional(),
  logGroup: having<ILogGroup>('logGroupName', 'string', 'expected a log group (ILogGroup)').optional(),
  logRetention: z.enum(RetentionDays).optional(),
  systemLogLevel: z.enum(SystemLogLevel).optional(),
  logLevel: logLevel.optional(),
  tracing: z.enum(Tracing).optional(),
  projectRoot: z.string().min(1).optional(),
  depsLockFilePath: z.string().min(1).optional(),
};

export const entryShape = { ...functionShape, ...entryOnlyShape };

const entrySettings = z.strictObject(entryShape);
type EntryOptions = z.output<typeof entrySettings>;

/** The props as they were checked, without those that were not given. */
export type EntrySettings = { readonly [Name in keyof EntryOptions]?: NonNullable<EntryOptions[Name]> };

/**
 * The settings of the function among the props of a queue or a worker.
 *
 * @throws ConfigurationError for one that the queue has no function of its own for
 */
export function readEntrySettings(
  props: EntryOptions & { readonly entry?: string | undefined },
  path: string,
): EntrySettings {
  const names = Object.keys(entryShape) as (keyof EntryOptions)[];
  const given = names.filter((name) => props[name] !== undefined);
  if (given.length > 0 && props.entry === undefined) {
    throw new ConfigurationError(
      `${path}.${given[0]}: expected with "entry" only: the functions of "deliverTo" are shared and have the Backlog's ` +
        'settings, a "handler" and a "worker" have their own',
    );
  }
  if (props.logGroup !== undefined && props.logRetention !== undefined) {
    throw new ConfigurationError(
      `${path}.logRetention: expected nothing beside "logGroup", which has a retention of its own`,
    );
  }
  return Object.fromEntries(given.map((name) => [name, props[name]]));
}
