import { marshall } from '@aws-sdk/util-dynamodb';
import { Fn } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps, type RecordEventsProps } from '../../../cdk/index.js';
import { matcherOf } from '../../../tools/src/local/streams/event-pattern.js';
import { newStack, propertiesOf, retryQueue } from '../support.js';

const BUS = 'arn:aws:events:eu-central-1:123456789012:event-bus/operations';
const bus = (scope: Construct) => EventBus.fromEventBusArn(scope, 'Bus', BUS);
type Target = (scope: Construct) => RecordEventsProps['to'];

/** The function, its event source mapping and its rights. */
function synthesized(
  queues: RecordEventsProps['queues'] = { orders: {} },
  to: Target = bus,
  props: Partial<BacklogProps> = {},
) {
  const stack = newStack({ account: '123456789012', region: 'eu-central-1' });
  new Backlog(stack, 'Backlog', {
    queues: { orders: retryQueue },
    recordEvents: { to: to(stack), queues },
    ...props,
  });
  const template = Template.fromStack(stack);
  const functions = Object.entries(template.findResources('AWS::Lambda::Function'));
  const lambda = functions.find(([id]) => id.includes('RecordEvents'))?.[1].Properties;
  const mappings = Object.entries(template.findResources('AWS::Lambda::EventSourceMapping'));
  const mapping = mappings.find(([id]) => id.includes('RecordEvents'))?.[1].Properties;
  const policies = Object.entries(template.findResources('AWS::IAM::Policy'));
  const rights = policies
    .filter(([id]) => id.includes('RecordEvents'))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
    .map(({ Action, Resource }) => ({ actions: [Action].flat(), resource: Resource }));
  return { stack, template, lambda, variables: lambda?.Environment.Variables, mapping, rights };
}

/** Tells whether the mapping hands over the write of this item. */
function hands(mapping: { readonly FilterCriteria: { readonly Filters: { readonly Pattern: string }[] } }) {
  const matchers = mapping.FilterCriteria.Filters.map(({ Pattern }) =>
    matcherOf(JSON.parse(Pattern), 'filter'),
  );
  return (item: object, eventName = 'MODIFY') =>
    matchers.some((matches) => matches({ eventName, dynamodb: { NewImage: marshall(item) } }));
}

describe('events of records', () => {
  it('come from the stream of the table, of the ends that are named alone', () => {
    const { mapping } = synthesized({
      orders: { on: ['succeeded'] },
      bulk: {},
      default: { on: ['cancelled'] },
    });
    const isHanded = hands(mapping);
    const success = { status: 'SUCCESS', queue: 'orders', rev: 'x' };
    const dead = { status: 'DEAD', queue: 'bulk', rev: 'x' };
    expect(
      [success, dead, { ...dead, queue: 'default' }, { status: 'DEAD', rev: 'x' }].map((one) =>
        isHanded(one),
      ),
    ).toEqual([true, true, true, true]);
    const others = [
      { ...success, queue: 'bulk' },
      { ...success, queue: 'default' },
      { status: 'SUCCESS', rev: 'x' },
      { ...dead, queue: 'orders' },
      { ...dead, queue: 'elsewhere' },
      { ...dead, status: 'ERROR' },
      { status: 'DEAD', queue: 'bulk' },
    ];
    expect(others.map((one) => isHanded(one))).toEqual(others.map(() => false));
    expect(isHanded(dead, 'REMOVE')).toBe(false);
    expect(mapping).toMatchObject({
      ...{
        StartingPosition: 'TRIM_HORIZON',
        BisectBatchOnFunctionError: true,
        MaximumRecordAgeInSeconds: 72_000,
      },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
    expect(JSON.stringify(mapping.DestinationConfig)).toContain('EventDlq');
  });

  it('are sent by a function that may read the stream, send them, and nothing else', () => {
    const { variables, rights } = synthesized({ orders: { on: ['dead'], include: ['payload'] } });
    expect(JSON.parse(variables.BACKLOG_RECORD_EVENTS)).toEqual({
      orders: { on: ['dead'], include: ['payload'] },
    });
    expect(variables.BACKLOG_RECORD_EVENTS_BUS).toBe(BUS);
    expect(rights.flatMap(({ actions }) => actions).sort()).toEqual([
      'dynamodb:DescribeStream',
      'dynamodb:GetRecords',
      'dynamodb:GetShardIterator',
      'dynamodb:ListStreams',
      'events:PutEvents',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'sqs:SendMessage',
    ]);
    expect(rights.find(({ actions }) => actions.includes('events:PutEvents'))?.resource).toBe(BUS);
  });

  it.each<[string, Target, string, string]>([
    ['a topic', (scope) => new Topic(scope, 'Topic'), 'BACKLOG_RECORD_EVENTS_TOPIC', 'sns:Publish'],
    ['a queue of SQS', (scope) => new Queue(scope, 'Sqs'), 'BACKLOG_RECORD_EVENTS_QUEUE', 'sqs:SendMessage'],
  ])('go to %s', (_, to, variable, action) => {
    const { variables, rights } = synthesized({ orders: {} }, to);
    expect(Object.keys(variables).filter((name) => name.startsWith('BACKLOG_RECORD_EVENTS_'))).toEqual([
      variable,
    ]);
    const granted = rights.filter(({ actions }) => actions.includes(action)).map(({ resource }) => resource);
    expect(JSON.stringify(granted)).toMatch(/"(Topic|Sqs)/);
  });

  it.each<[string, Target]>([
    ['a queue', (scope) => new Queue(scope, 'Sqs', { encryptionMasterKey: new Key(scope, 'Theirs') })],
    ['a topic', (scope) => new Topic(scope, 'Topic', { masterKey: new Key(scope, 'Theirs') })],
  ])('may use the key of their target, %s', (_, to) => {
    const { rights } = synthesized({ orders: {} }, to);
    expect(
      rights.flatMap(({ actions }) => actions).filter((action) => action.startsWith('kms:')),
    ).not.toEqual([]);
    expect(JSON.stringify(rights)).toContain('"Theirs');
  });

  it('have no function, no reader of the stream and no alarm where nothing asks for them', () => {
    const stack = newStack();
    const backlog = new Backlog(stack, 'Backlog', { queues: { orders: retryQueue } });
    expect(backlog.recordEvents).toBeUndefined();
    expect(JSON.stringify(Template.fromStack(stack).toJSON().Resources)).not.toMatch(
      /BacklogRecordEvents|RecordEventsAge/,
    );
  });

  it.each<[string, BacklogProps['alarms']]>([
    ['all alarms', true],
    ['the essential alarms', 'essential'],
  ])('have an alarm when they are late, with %s', (_, alarms) => {
    const { template } = synthesized({ orders: {} }, bus, { alarms });
    const found = propertiesOf(template, 'AWS::CloudWatch::Alarm').filter(({ AlarmDescription }) =>
      AlarmDescription.includes('#recordeventsage'),
    );
    expect(found).toMatchObject([{ MetricName: 'IteratorAge', Threshold: 300_000, Statistic: 'Maximum' }]);
  });

  it('are watched by the monitor, which says if their mapping has stopped', () => {
    const { template } = synthesized();
    const functions = propertiesOf(template, 'AWS::Lambda::Function');
    const monitor = functions.find(({ Environment }) => 'BACKLOG_EVENT_SOURCES' in Environment.Variables);
    expect(JSON.stringify(monitor.Environment.Variables.BACKLOG_EVENT_SOURCES)).toContain(
      'RecordEventsFunction',
    );
  });

  it('are the second reader of the stream, for which there is room beside the intake', () => {
    const { stack } = synthesized();
    const warnings = stack.node
      .findAll()
      .flatMap(({ node }) => node.metadata.map(({ data }) => String(data)));
    expect(warnings.filter((text) => text.includes('readers'))).toEqual([]);
  });

  it('of many queues are in a file, and the function looks at names that the filter has no room for', () => {
    const many = Array.from({ length: 200 }, (_, i) => [
      `queue-of-a-long-name-${i}`,
      { on: ['dead'] as const },
    ]);
    const { variables, mapping } = synthesized(Object.fromEntries(many));
    expect(variables.BACKLOG_RECORD_EVENTS).toBeUndefined();
    expect(variables.BACKLOG_RECORD_EVENTS_FILE).toMatch(/^\/opt\/dynamo-backlog\/record-events-\w+\.json$/);
    for (const { Pattern } of mapping.FilterCriteria.Filters)
      expect(Pattern.length).toBeLessThanOrEqual(4_096);
    expect(mapping.FilterCriteria.Filters).toHaveLength(1);
    const isHanded = hands(mapping);
    expect(isHanded({ status: 'DEAD', queue: 'queue-of-a-long-name-199', rev: 'x' })).toBe(true);
    expect(isHanded({ status: 'SUCCESS', queue: 'queue-of-a-long-name-199', rev: 'x' })).toBe(false);
  });

  it.each<[string, object, string]>([
    ['no target', { queues: { orders: {} } }, 'Backlog.recordEvents.to: expected an event bus (IEventBus)'],
    [
      'a function',
      { to: { functionArn: 'arn' }, queues: { orders: {} } },
      'Backlog.recordEvents.to: expected an event bus',
    ],
    ['no queue', { queues: {} }, 'Backlog.recordEvents.queues: expected at least one queue'],
    [
      'a name of none',
      { queues: { 'no name': {} } },
      'Backlog.recordEvents.queues: expected names of letters, digits',
    ],
    [
      'no end',
      { queues: { orders: { on: [] } } },
      'Backlog.recordEvents.queues.orders.on: expected at least one end',
    ],
    ['an unknown end', { queues: { orders: { on: ['died'] } } }, 'Backlog.recordEvents.queues.orders.on.0'],
    [
      'an unknown part',
      { queues: { orders: { include: ['history'] } } },
      'Backlog.recordEvents.queues.orders.include.0',
    ],
    ['an unknown option', { queues: { orders: { ends: ['dead'] } } }, 'Backlog.recordEvents.queues.orders'],
  ])('are refused with %s', (name, wrong, message) => {
    const stack = newStack();
    const to = name === 'no target' ? {} : { to: bus(stack) };
    const recordEvents = { ...to, ...wrong } as unknown as RecordEventsProps;
    expect(() => new Backlog(stack, 'Backlog', { queues: { orders: retryQueue }, recordEvents })).toThrow(
      message,
    );
  });

  it.each<[string, Target]>([
    ['bus', (scope) => EventBus.fromEventBusArn(scope, 'Far', BUS.replace('eu-central-1', 'us-east-1'))],
    ['topic', (scope) => Topic.fromTopicArn(scope, 'Far', 'arn:aws:sns:us-east-1:123456789012:ends')],
    ['queue', (scope) => Queue.fromQueueArn(scope, 'Far', 'arn:aws:sqs:us-east-1:123456789012:ends')],
  ])('are refused for a %s of another region, which takes none from here', (_, to) => {
    expect(() => synthesized({ orders: {} }, to)).toThrow(
      'Backlog.recordEvents.to: expected a target in this region (eu-central-1), got one in us-east-1',
    );
  });

  it('go to a target of whose region nothing is known', () => {
    const { variables } = synthesized({ orders: {} }, (scope) =>
      Topic.fromTopicArn(scope, 'Given', Fn.importValue('ends')),
    );
    expect(variables.BACKLOG_RECORD_EVENTS_TOPIC).toEqual({ 'Fn::ImportValue': 'ends' });
  });

  it('need a stream that shows what was written', () => {
    const table = (scope: Construct) =>
      Table.fromTableAttributes(scope, 'Given', { tableName: 'given', globalIndexes: ['due'] });
    const stack = newStack();
    const props = { queues: { orders: retryQueue }, table: table(stack), intake: false };
    const recordEvents = { to: bus(stack), queues: { orders: {} } };
    expect(() => new Backlog(stack, 'Backlog', { ...props, recordEvents })).toThrow(
      'Backlog.recordEvents: expected a table with a stream of new images',
    );
  });

  it('belong to the Backlog that has the tables', () => {
    const stack = newStack();
    const sharedBacklog = new Backlog(stack, 'Tables', { queues: { orders: retryQueue } });
    const recordEvents = { to: bus(stack), queues: { bulk: {} } };
    expect(
      () => new Backlog(stack, 'Backlog', { queues: { bulk: retryQueue }, sharedBacklog, recordEvents }),
    ).toThrow('Backlog.recordEvents: expected nothing beside "sharedBacklog"');
  });
});
