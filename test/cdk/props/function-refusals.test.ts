import { SecurityGroup, SubnetType, type Vpc } from 'aws-cdk-lib/aws-ec2';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import { OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps, type QueueProps } from '../../../cdk/index.js';
import { newStack, ownFunction, retryQueue } from '../support.js';

const entryQueue: QueueProps = { retry: { type: 'none' }, entry: 'test/cdk/fixtures/handler.ts' };

type Stack = ReturnType<typeof newStack>;

const refusalOf = (propsOf: (stack: Stack) => BacklogProps) => {
  const stack = newStack();
  try {
    new Backlog(stack, 'Backlog', propsOf(stack));
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
  return 'nothing was refused';
};

describe('synthesis refuses', () => {
  const imports = (queue: Partial<QueueProps>): BacklogProps => ({
    queues: { imports: { ...entryQueue, ...queue } },
  });
  const layer = (stack: Stack) =>
    new LayerVersion(stack, 'Layer', {
      code: Code.fromAsset('test/cdk/fixtures'),
      compatibleArchitectures: [Architecture.X86_64],
    });

  it.each<[string, (stack: Stack) => BacklogProps, string]>([
    [
      'settings for a shared function',
      () => ({ queues: { orders: { ...retryQueue, memorySize: 1024 } } }),
      'queues.orders.memorySize: expected with "entry" only: the functions of "deliverTo" are shared',
    ],
    [
      "settings for a function of the user's own",
      (stack) => ({
        queues: { orders: { retry: { type: 'none' }, handler: ownFunction(stack), layers: [] } },
      }),
      'queues.orders.layers: expected with "entry" only',
    ],
    ...[Runtime.PYTHON_3_13, Runtime.JAVA_21, Runtime.NODEJS_18_X].map(
      (runtime): [string, (stack: Stack) => BacklogProps, string] => [
        `a handler with the runtime ${runtime.name}`,
        (stack) => ({
          queues: { orders: { retry: { type: 'none' }, handler: ownFunction(stack, undefined, runtime) } },
        }),
        'queues.orders.handler: expected a function with a runtime of Node.js 20 or later, as its handler is made by ' +
          `backlogHandler, got ${runtime.name}`,
      ],
    ),
    [
      'subnets without a VPC',
      () => ({ queues: { orders: retryQueue }, vpcSubnets: { subnetType: SubnetType.PUBLIC } }),
      'Backlog.vpcSubnets: expected beside a "vpc" only, got no "vpc"',
    ],
    [
      'security groups of a queue without a VPC',
      (stack) => imports({ securityGroups: [SecurityGroup.fromSecurityGroupId(stack, 'Group', 'sg-1')] }),
      'queues.imports.securityGroups: expected beside a "vpc" only, got no "vpc"',
    ],
    [
      'a VPC that is none',
      () => ({ queues: { orders: retryQueue }, vpc: 'vpc-1' as unknown as Vpc }),
      'Backlog.vpc: expected a VPC (IVpc), got "vpc-1"',
    ],
    [
      'an old runtime',
      () => ({ queues: { orders: retryQueue }, runtime: Runtime.NODEJS_18_X }),
      'Backlog.runtime: expected a runtime of Node.js 20 or later',
    ],
    [
      'a runtime of another language',
      () => imports({ runtime: Runtime.PYTHON_3_12 }),
      'queues.imports.runtime: expected a runtime of Node.js 20 or later',
    ],
    [
      'a role that Lambda may not assume',
      (stack) => imports({ role: new Role(stack, 'Mine', { assumedBy: new AccountRootPrincipal() }) }),
      'queues.imports.role: expected a role that Lambda may assume',
    ],
    [
      'a layer of another architecture',
      (stack) => imports({ layers: [layer(stack)] }),
      'queues.imports.layers: expected layers for arm64, got Test/Layer, which is for x86_64',
    ],
    [
      'a layer of the Backlog of another architecture',
      (stack) => ({ queues: { orders: retryQueue }, layers: [layer(stack)] }),
      'Backlog.layers: expected layers for arm64, got Test/Layer, which is for x86_64',
    ],
    [
      'a bundle in another format',
      () => imports({ bundling: { format: OutputFormat.CJS } }),
      'queues.imports.bundling: expected no "format" but OutputFormat.ESM',
    ],
    [
      'no concurrency at all',
      () => imports({ reservedConcurrentExecutions: 0 }),
      'queues.imports.reservedConcurrentExecutions: expected at least 1: to stop a queue, give it "enabled": false',
    ],
    [
      'a retention beside a log group',
      (stack) => imports({ logGroup: new LogGroup(stack, 'Mine'), logRetention: RetentionDays.ONE_DAY }),
      'queues.imports.logRetention: expected nothing beside "logGroup"',
    ],
  ])('%s', (_name, propsOf, message) => {
    expect(refusalOf(propsOf)).toContain(`ConfigurationError: ${message}`);
  });
});
