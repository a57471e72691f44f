import { Duration, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { LayerVersion } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps } from '../../../cdk/index.js';
import { readSettings } from '../../../functions/settings.js';
import { alarmsOf } from '../monitoring/alarms-of.js';
import { newStack, propertiesOf, retryQueue, rightsOf, rulesOf, schedulesOf } from '../support.js';

const RECURRING = { report: { schedule: 'cron(0 3 * * ? *)', timeZone: 'Europe/Berlin' } };

function synthesized(
  props: Partial<BacklogProps> | ((stack: Stack) => Partial<BacklogProps>) = {},
  recurring: BacklogProps['recurring'] = RECURRING,
) {
  const stack = newStack({ account: '123456789012', region: 'eu-central-1' });
  const others = typeof props === 'function' ? props(stack) : props;
  const backlog = new Backlog(stack, 'Backlog', { queues: { default: retryQueue }, recurring, ...others });
  const template = Template.fromStack(stack);
  const lambda = propertiesOf(template, 'AWS::Lambda::Function').find(
    ({ Handler }) => Handler === 'recurring.handler',
  );
  return { stack, backlog, template, lambda, variables: lambda?.Environment.Variables };
}

describe('the function of recurring records', () => {
  it('has the definitions and its queue, and a rule starts it each minute', () => {
    const { template, backlog, variables, lambda } = synthesized();
    expect(JSON.parse(variables.BACKLOG_RECURRING)).toEqual(RECURRING);
    expect(variables).not.toHaveProperty('BACKLOG_INDEX_AT_ONCE');
    const texts = Object.entries(variables).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : 'x',
    ]);
    expect(readSettings(Object.fromEntries(texts)).queues).toEqual({
      recurring: {
        retryMode: 'perRecord',
        retry: { type: 'constant', interval: 60, maxAge: 100 * 365 * 86_400 },
      },
    });
    expect(lambda.Timeout).toBe(300);
    expect(rulesOf(template).filter(({ input }) => input.queue === 'recurring')).toMatchObject([
      { schedule: 'cron(* * * * ? *)', state: 'ENABLED' },
    ]);
    expect(Object.keys(backlog.functions)).toEqual(['default', 'recurring']);
    expect(backlog.createdFunctions.recurring).toBe(backlog.functions.recurring);
    expect(backlog.disabledQueues).toEqual([]);
  });

  it('may do what the function of any queue may, and put records without reading what it replaces', () => {
    const { template } = synthesized();
    const of = (construct: string) =>
      rightsOf(template, construct)
        .flatMap(([actions]) => actions.split(', '))
        .sort();
    const own = of('BacklogQueuesrecurring');
    expect(own.filter((action) => !of('BacklogFibonacciDelivery').includes(action))).toEqual([
      'dynamodb:PutItem',
    ]);
    expect(of('BacklogFibonacciDelivery').filter((action) => !own.includes(action))).toEqual([]);
    const statements = propertiesOf(template, 'AWS::IAM::Policy').flatMap(
      ({ PolicyDocument }) => PolicyDocument.Statement,
    );
    expect(statements.filter(({ Action }) => Action === 'dynamodb:PutItem')).toMatchObject([
      { Condition: { StringEqualsIfExists: { 'dynamodb:ReturnValues': 'NONE' } } },
    ]);
  });

  it('is there without a definition, for the schedules of applications', () => {
    const { variables } = synthesized({}, {});
    expect(variables.BACKLOG_RECURRING).toBe('{}');
  });

  it('is not there without the prop, nor anything else of it', () => {
    const stack = newStack();
    const backlog = new Backlog(stack, 'Backlog', { queues: { default: retryQueue } });
    expect(JSON.stringify(Template.fromStack(stack).toJSON())).not.toMatch(/recurring/i);
    expect(Object.keys(backlog.functions)).toEqual(['default']);
  });

  it.each<[string, Partial<BacklogProps> | ((stack: Stack) => Partial<BacklogProps>)]>([
    ['was turned off', { intake: false }],
    [
      'has no stream to read',
      (stack) => ({
        table: Table.fromTableAttributes(stack, 'Given', { tableName: 'given', globalIndexes: ['due'] }),
      }),
    ],
  ])('indexes what it inserts where the intake %s', (_, props) => {
    expect(synthesized(props).variables.BACKLOG_INDEX_AT_ONCE).toBe('true');
  });

  it('has many definitions in a file beside its queue, and tokens of their payloads in a variable', () => {
    const many = Array.from({ length: 40 }, (_, i) => [
      `tenant-${i}/report`,
      { schedule: 'rate(1 hour)', payload: { text: 'x'.repeat(100) } },
    ]);
    const { variables, lambda, stack } = synthesized((stack) => ({
      recurring: { ...Object.fromEntries(many), one: { schedule: 'rate(1 day)', payload: stack.stackId } },
    }));
    expect(variables).not.toHaveProperty('BACKLOG_RECURRING');
    expect(variables.BACKLOG_RECURRING_FILE).toMatch(/^\/opt\/dynamo-backlog\/recurring-\w+\.json$/);
    expect(variables.BACKLOG_QUEUES_FILE).toMatch(/^\/opt\/dynamo-backlog\/queues-\w+\.json$/);
    expect(stack.resolve(variables.BACKLOG_FILE_VALUES)).toEqual({
      'Fn::Join': ['', ['["', { Ref: 'AWS::StackId' }, '"]']],
    });
    expect(lambda.Layers).toHaveLength(1);
  });

  it('is refused with more tokens than its variables have room for, and with five layers of your own', () => {
    const distinct = (stack: Stack) => ({
      recurring: Object.fromEntries(
        Array.from({ length: 40 }, (_, i) => [
          `r${i}`,
          { schedule: 'rate(1 day)', payload: new Key(stack, `Key${i}`).keyArn },
        ]),
      ),
    });
    expect(() => synthesized(distinct)).toThrow(
      /Backlog\.recurring: expected at most \d+ bytes of values that are known at deployment only, in all payloads, got 40 values/,
    );
    const layers = (stack: Stack) =>
      Array.from({ length: 5 }, (_, i) =>
        LayerVersion.fromLayerVersionArn(
          stack,
          `L${i}`,
          `arn:aws:lambda:eu-central-1:123456789012:layer:l:${i}`,
        ),
      );
    expect(() =>
      synthesized((stack) => ({
        layers: layers(stack),
        recurring: { big: { schedule: 'rate(1 day)', payload: 'x'.repeat(3_000) } },
      })),
    ).toThrow('Backlog.layers: expected at most 4 layers');
  });

  it('has time for an attempt, however short the functions of the other queues may be', () => {
    const queues = { default: { ...retryQueue, attemptTimeout: Duration.seconds(5) } };
    expect(synthesized({ timeout: Duration.seconds(20), queues }).lambda.Timeout).toBe(60);
  });

  it('is started by a schedule, with trigger: "scheduler"', () => {
    const { template } = synthesized({ trigger: 'scheduler' });
    expect(JSON.stringify(schedulesOf(template))).toContain('"queue":"recurring"');
  });

  it('is in the VPC, and its logs and variables have the key', () => {
    const { lambda, template } = synthesized((stack) => ({
      vpc: new Vpc(stack, 'Vpc'),
      encryptionKey: new Key(stack, 'Key'),
    }));
    expect(lambda.VpcConfig).toBeDefined();
    expect(lambda.KmsKeyArn).toBeDefined();
    const rights = rightsOf(template, 'BacklogQueuesrecurring').flatMap(([actions]) => actions.split(', '));
    expect(rights).toEqual(
      expect.arrayContaining(['kms:Decrypt', 'kms:Encrypt', 'ec2:CreateNetworkInterface']),
    );
  });

  it('belongs to no process: workEnvironment refuses its queue', () => {
    const { backlog } = synthesized();
    expect(() => backlog.workEnvironment({ queues: ['recurring'] })).toThrow(
      'workEnvironment.queues: expected queues of yours, got "recurring", whose function inserts recurring records',
    );
  });
});

describe('the queue "recurring"', () => {
  it('has alarms whose texts are about schedules, and none on unknown tasks', () => {
    const alarms = alarmsOf(synthesized().template);
    const own = Object.fromEntries(Object.entries(alarms).filter(([id]) => id.endsWith('recurring')));
    expect(Object.keys(own).sort()).toEqual(
      ['Dead', 'Failures', 'Lag', 'RunErrors', 'Runs'].map((kind) => expect.stringContaining(kind)),
    );
    const texts = Object.values(own).map(({ AlarmDescription }) => AlarmDescription);
    expect(texts.filter((text) => text.endsWith('#recurringlag'))).toEqual([
      expect.stringContaining('Recurring records are late: a schedule has been due for more than 210 s'),
    ]);
    expect(texts.filter((text) => text.endsWith('#failures'))).toEqual([
      expect.stringContaining('Schedules of recurring records have failed for minutes'),
    ]);
  });

  it.each<[string, Partial<BacklogProps>]>([
    ['minimal: true', { minimal: true }],
    ['alarms: "essential"', { alarms: 'essential' }],
  ])('counts for the alarms of all queues, with %s', (_, props) => {
    const alarms = Object.keys(alarmsOf(synthesized(props).template));
    expect(alarms).toEqual(expect.arrayContaining(['Lag', 'Failures', 'Dead']));
    expect(alarms.filter((id) => id.endsWith('recurring'))).toEqual([]);
  });

  it('is in the template’s description, with the definitions but not their payloads', () => {
    const { template } = synthesized(
      {},
      {
        ...RECURRING,
        all: {
          ...{ schedule: 'rate(1 hour)', queue: 'default', payload: { secret: 'hidden' }, missed: 'skip' },
          jitter: Duration.minutes(1),
        },
      },
    );
    const { recurring, queues } = template.toJSON().Metadata.DynamoBacklog.Backlog;
    expect(recurring).toEqual({
      report: { ...RECURRING.report, queue: 'default' },
      all: {
        ...{ schedule: 'rate(1 hour)', queue: 'default', settings: { missed: 'skip', jitter: 60 } },
        payload: expect.stringMatching(/^[0-9a-f]{8}$/),
      },
    });
    expect(queues.recurring).toMatchObject({ work: 'recurring', firstAttempt: 'scheduled', enabled: true });
  });

  it('has metrics, and is one that other stacks on the tables cannot have', () => {
    const { backlog } = synthesized();
    const stack = new Stack(backlog.node.root as never, 'Team');
    expect(
      () => new Backlog(stack, 'Backlog', { queues: { recurring: retryQueue }, sharedBacklog: backlog }),
    ).toThrow('queues: expected queues that no other stack has, got "recurring"');
  });

  it('goes on beside 200 others, and in two regions', () => {
    const names = Array.from({ length: 200 }, (_, i) => `queue-${i}`);
    const queues = Object.fromEntries(names.map((name) => [name, retryQueue]));
    const { variables, template } = synthesized({
      queues,
      alarms: 'essential',
      primaryRegion: 'eu-central-1',
      replicas: [{ region: 'eu-west-1' }],
    });
    expect(JSON.parse(variables.BACKLOG_QUEUES)).toHaveProperty('recurring');
    expect(variables.BACKLOG_PRIMARY_REGION).toBe('eu-central-1');
    expect(rulesOf(template).filter(({ input }) => input.queue === 'recurring')).toHaveLength(1);
  });

  it('causes no warning by itself', () => {
    const { stack } = synthesized({ alarms: false });
    expect(Annotations.fromStack(stack).findWarning('*', Match.anyValue())).toEqual([]);
  });
});
