import { Duration } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { type IVpc, Port, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Architecture, LayerVersion, Runtime, SystemLogLevel, Tracing } from 'aws-cdk-lib/aws-lambda';
import { type CfnLogGroup, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps, type QueueProps } from '../../../cdk/index.js';
import { newStack, propertiesOf, retryQueue } from '../support.js';

const ENTRY = 'test/cdk/fixtures/handler.ts';
const entryQueue: QueueProps = { retry: { type: 'none' }, entry: ENTRY };

type Stack = ReturnType<typeof newStack>;

function synthesized(propsOf: (stack: Stack) => BacklogProps) {
  const stack = newStack({ region: 'eu-central-1', account: '111111111111' });
  const backlog = new Backlog(stack, 'Backlog', { alarms: false, ...propsOf(stack) });
  const template = Template.fromStack(stack);
  // biome-ignore lint/suspicious/noExplicitAny: CloudFormation's properties have no types here
  const byName: Record<string, any> = {};
  for (const [id, { Properties }] of Object.entries(template.findResources('AWS::Lambda::Function'))) {
    byName[id.replace(/^Backlog(.*?)(?:Function)?[0-9A-F]{8}$/, '$1')] = Properties;
  }
  return { stack, backlog, template, functions: byName };
}

const warningsOf = (stack: Stack) =>
  Annotations.fromStack(stack)
    .findWarning('*', Match.anyValue())
    .map(({ entry }) => String(entry.data));

describe('a VPC', () => {
  const inVpc = synthesized((stack) => ({
    vpc: new Vpc(stack, 'Vpc'),
    widget: true,
    queues: { orders: retryQueue, imports: entryQueue },
  }));

  it('has all functions, in its private subnets and with one security group', () => {
    const [group, ...others] = Object.keys(inVpc.template.findResources('AWS::EC2::SecurityGroup'));
    expect(others).toEqual([]);
    expect(Object.keys(inVpc.functions).sort()).toEqual(
      ['FibonacciDelivery', 'Intake', 'Monitor', 'Queuesimports', 'Sweep', 'Widget', 'WidgetActions'].sort(),
    );
    for (const { VpcConfig } of Object.values(inVpc.functions)) {
      expect(VpcConfig.SecurityGroupIds).toEqual([{ 'Fn::GetAtt': [group, 'GroupId'] }]);
      expect(JSON.stringify(VpcConfig.SubnetIds)).toContain('VpcPrivateSubnet1');
    }
    expect(warningsOf(inVpc.stack)).toEqual([]);
  });

  it('gives every role the right to its network interfaces, which it denies to the code', () => {
    const policies = propertiesOf(inVpc.template, 'AWS::IAM::Policy').filter(({ PolicyDocument }) =>
      JSON.stringify(PolicyDocument).includes('ec2:CreateNetworkInterface'),
    );
    expect(policies).toHaveLength(7);
    const statements = policies[0].PolicyDocument.Statement.filter(({ Action }: { Action: unknown }) =>
      JSON.stringify(Action).includes('ec2:'),
    );
    expect(statements).toMatchObject([
      { Effect: 'Allow', Resource: '*' },
      {
        Effect: 'Deny',
        Resource: '*',
        Condition: {
          ArnLike: {
            'lambda:SourceFunctionArn': {
              'Fn::Join': [
                '',
                ['arn:', { Ref: 'AWS::Partition' }, ':lambda:eu-central-1:111111111111:function:*'],
              ],
            },
          },
        },
      },
    ]);
  });

  it('has connections: another group lets the functions in', () => {
    const stack = newStack();
    const vpc = new Vpc(stack, 'Vpc');
    const backlog = new Backlog(stack, 'Backlog', { vpc, queues: { orders: retryQueue } });
    const database = new SecurityGroup(stack, 'Database', { vpc: vpc as IVpc });
    database.connections.allowFrom(backlog, Port.tcp(5432));
    expect(propertiesOf(Template.fromStack(stack), 'AWS::EC2::SecurityGroupIngress')).toMatchObject([
      {
        FromPort: 5432,
        SourceSecurityGroupId: { 'Fn::GetAtt': [expect.stringMatching(/^BacklogSecurityGroup/), 'GroupId'] },
      },
    ]);
  });

  it('of one queue has its function only', () => {
    const { functions, backlog } = synthesized((stack) => ({
      queues: { orders: retryQueue, imports: { ...entryQueue, vpc: new Vpc(stack, 'Vpc') } },
    }));
    expect(
      Object.entries(functions)
        .filter(([, { VpcConfig }]) => VpcConfig)
        .map(([name]) => name),
    ).toEqual(['Queuesimports']);
    expect(() => backlog.connections).toThrow('Backlog.connections: expected a "vpc" of the Backlog');
    expect(backlog.createdFunctions.imports?.connections.securityGroups).toHaveLength(1);
  });

  it('of the Backlog has the security groups and subnets that a queue gives', () => {
    const { functions } = synthesized((stack) => {
      const vpc = new Vpc(stack, 'Vpc');
      const group = (id: string) => SecurityGroup.fromSecurityGroupId(stack, id, `sg-${id}`);
      return {
        vpc,
        securityGroups: [group('all')],
        queues: {
          imports: {
            ...entryQueue,
            securityGroups: [group('erp')],
            vpcSubnets: { availabilityZones: vpc.availabilityZones.slice(0, 1) },
          },
        },
      };
    });
    expect(functions.Queuesimports.VpcConfig).toMatchObject({ SecurityGroupIds: ['sg-erp'] });
    expect(functions.Queuesimports.VpcConfig.SubnetIds).toHaveLength(1);
    expect(functions.Intake.VpcConfig).toMatchObject({ SecurityGroupIds: ['sg-all'] });
    expect(functions.Intake.VpcConfig.SubnetIds).toHaveLength(3);
  });

  it('without a route out of its subnets gets a warning that names the endpoints', () => {
    const { stack } = synthesized((stack) => ({
      vpc: new Vpc(stack, 'Vpc', {
        subnetConfiguration: [{ name: 'in', subnetType: SubnetType.PRIVATE_ISOLATED }],
      }),
      queues: { orders: retryQueue },
    }));
    expect(warningsOf(stack)).toEqual([expect.stringContaining('a gateway endpoint of DynamoDB')]);
  });
});

describe('what all functions take', () => {
  it('is the architecture, the runtime and the key of the variables; layers only where records are attempted', () => {
    const { functions, template } = synthesized((stack) => ({
      architecture: Architecture.X86_64,
      runtime: Runtime.NODEJS_22_X,
      environmentEncryption: new Key(stack, 'Variables'),
      layers: [
        LayerVersion.fromLayerVersionArn(stack, 'Agent', 'arn:aws:lambda:eu-central-1:1:layer:agent:7'),
      ],
      widget: true,
      queues: { orders: retryQueue, imports: entryQueue },
    }));
    const [key] = Object.keys(template.findResources('AWS::KMS::Key'));
    for (const [name, properties] of Object.entries(functions)) {
      const attempts = /Delivery|Queues/.test(name);
      expect([
        name,
        properties.Architectures,
        properties.Runtime,
        properties.KmsKeyArn,
        properties.Layers,
      ]).toEqual([
        name,
        ['x86_64'],
        'nodejs22.x',
        { 'Fn::GetAtt': [key, 'Arn'] },
        attempts ? ['arn:aws:lambda:eu-central-1:1:layer:agent:7'] : undefined,
      ]);
    }
    const policies = propertiesOf(template, 'AWS::IAM::Policy').map(
      ({ PolicyDocument }) => PolicyDocument.Statement,
    );
    expect(policies).toHaveLength(7);
    for (const statements of policies) {
      expect(statements).toContainEqual({
        Action: 'kms:Decrypt',
        Effect: 'Allow',
        Resource: { 'Fn::GetAtt': [key, 'Arn'] },
      });
    }
  });
});

describe('the function of an entry', () => {
  it('has settings of its own in place of those of the Backlog', () => {
    const { functions } = synthesized(() => ({
      memorySize: 256,
      runtime: Runtime.NODEJS_22_X,
      queues: {
        orders: retryQueue,
        imports: {
          ...entryQueue,
          memorySize: 1769,
          timeout: Duration.minutes(10),
          attemptTimeout: Duration.minutes(8),
          architecture: Architecture.X86_64,
          tracing: Tracing.ACTIVE,
          systemLogLevel: SystemLogLevel.INFO,
          logRetention: RetentionDays.ONE_DAY,
          reservedConcurrentExecutions: 11,
        },
      },
    }));
    expect(functions.Queuesimports).toMatchObject({
      MemorySize: 1769,
      Timeout: 600,
      Runtime: 'nodejs22.x',
      Architectures: ['x86_64'],
      TracingConfig: { Mode: 'Active' },
      LoggingConfig: { SystemLogLevel: 'INFO' },
      ReservedConcurrentExecutions: 11,
      Environment: { Variables: { BACKLOG_FUNCTION_TIMEOUT_SECONDS: '600' } },
    });
    expect(functions.FibonacciDelivery).toMatchObject({
      MemorySize: 256,
      Timeout: 300,
      Architectures: ['arm64'],
    });
    expect(functions.FibonacciDelivery.TracingConfig).toBeUndefined();
  });

  it('of a worker has them, too', () => {
    const { functions } = synthesized(() => ({
      workers: { erp: { entry: ENTRY, memorySize: 2048 } },
      queues: { a: { retry: { type: 'none' }, worker: 'erp' } },
    }));
    expect(functions.Workerserp).toMatchObject({ MemorySize: 2048 });
  });

  it('takes an existing role, which gets all rights of a new one', () => {
    const { functions, template } = synthesized((stack) => ({
      intake: false,
      metrics: 'off',
      vpc: new Vpc(stack, 'Vpc'),
      queues: {
        imports: {
          ...entryQueue,
          role: new Role(stack, 'Mine', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }),
        },
      },
    }));
    const [role, ...others] = Object.keys(template.findResources('AWS::IAM::Role')).filter(
      (id) => !/^Vpc|Custom/.test(id),
    );
    expect(others).toEqual([]);
    expect(functions.Queuesimports.Role).toEqual({ 'Fn::GetAtt': [role, 'Arn'] });
    const [policy] = propertiesOf(template, 'AWS::IAM::Policy');
    expect(policy.Roles).toEqual([{ Ref: role }]);
    for (const right of [
      'logs:PutLogEvents',
      'dynamodb:UpdateItem',
      'sqs:SendMessage',
      'ec2:CreateNetworkInterface',
    ]) {
      expect(JSON.stringify(policy.PolicyDocument)).toContain(`"${right}"`);
    }
  });

  it('takes an existing log group, which the saved queries read', () => {
    const { functions, template, stack } = synthesized((stack) => ({
      queues: { imports: { ...entryQueue, logGroup: new LogGroup(stack, 'Mine') } },
    }));
    const mine = { Ref: stack.getLogicalId(stack.node.findChild('Mine').node.defaultChild as CfnLogGroup) };
    expect(functions.Queuesimports.LoggingConfig.LogGroup).toEqual(mine);
    const [query] = propertiesOf(template, 'AWS::Logs::QueryDefinition');
    expect(query.LogGroupNames).toContainEqual(mine);
    expect(JSON.stringify(propertiesOf(template, 'AWS::CloudWatch::Dashboard'))).toContain(mine.Ref);
  });

  it('with fewer reserved invocations than runs may be started gets a warning', () => {
    const reserving = (queue: Partial<QueueProps>) =>
      warningsOf(
        synthesized(() => ({
          queues: { imports: { ...entryQueue, reservedConcurrentExecutions: 5, ...queue } },
        })).stack,
      );
    expect(reserving({})).toEqual([
      expect.stringContaining(
        'queues.imports.reservedConcurrentExecutions is 5, and up to 11 runs may be started at once',
      ),
    ]);
    expect(reserving({ onInsertConcurrency: 4 })).toEqual([]);
    expect(reserving({ firstAttempt: 'scheduled' })).toEqual([]);
  });
});
