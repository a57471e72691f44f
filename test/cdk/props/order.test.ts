import { App, Duration, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { AttributeType, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps, type QueueProps } from '../../../cdk/index.js';
import { newStack, propertiesOf } from '../support.js';

const deliverTo = 'https://erp.example.com/orders';

function backlogWith(queue: Partial<QueueProps>, props: Partial<BacklogProps> = {}): Template {
  const stack = newStack();
  new Backlog(stack, 'Backlog', { queues: { orders: { deliverTo, ...queue } }, ...props });
  return Template.fromStack(stack);
}

/** The patterns by which the intake reads the stream. */
function patternsOf(template: Template): string[] {
  const sources = propertiesOf(template, 'AWS::Lambda::EventSourceMapping');
  const { FilterCriteria } = sources.find(({ FilterCriteria: criteria }) => criteria) ?? {};
  return FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => Pattern);
}

describe('a queue with order', () => {
  it('has the intake read ends and removals of records with numbers, in at most five filters', () => {
    const patterns = patternsOf(backlogWith({ order: 'key' }));
    expect(patterns).toHaveLength(5);
    const all = patterns.map((pattern) => JSON.parse(pattern));
    expect(all).toContainEqual({
      eventName: ['INSERT', 'MODIFY'],
      dynamodb: { NewImage: { seq: { N: [{ exists: true }] }, status: { S: ['SUCCESS', 'DEAD'] } } },
    });
    expect(all).toContainEqual({
      eventName: ['REMOVE'],
      dynamodb: {
        OldImage: { seq: { N: [{ exists: true }] }, status: { S: [{ 'anything-but': ['SUCCESS'] }] } },
      },
    });
    expect(all).toContainEqual({
      eventName: ['INSERT', 'MODIFY'],
      dynamodb: {
        NewImage: {
          lane: { S: [{ exists: false }] },
          status: { S: [{ 'anything-but': ['SUCCESS'] }, { exists: false }] },
        },
      },
    });
    expect(patternsOf(backlogWith({}))).toHaveLength(4);
  });

  it('has both images in the stream, and the rules in the settings of intake and function', () => {
    const template = backlogWith({ order: 'key', onDeadHead: 'skip', skipGapAfter: Duration.minutes(5) });
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
    });
    const settings = propertiesOf(template, 'AWS::Lambda::Function').flatMap(({ Environment }) => {
      const text = Environment?.Variables?.BACKLOG_QUEUES;
      const orders = text && JSON.parse(text).orders;
      return orders?.order ? [orders] : [];
    });
    expect(settings.length).toBeGreaterThanOrEqual(2);
    for (const one of settings)
      expect(one).toMatchObject({ order: 'key', onDeadHead: 'skip', skipGapAfter: 300 });
  });

  it('lets the intake remove pages of lines, and a producer number records, and no more', () => {
    const stack = newStack();
    const backlog = new Backlog(stack, 'Backlog', { queues: { orders: { deliverTo, order: 'key' } } });
    const role = new Role(stack, 'Shop', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    expect(backlog.grantInsertInOrder(role).success).toBe(true);
    const template = Template.fromStack(stack);
    const ofKeys = (keys: string[]) => ({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    });
    const allows = (Action: unknown, keys: string[]) =>
      template.hasResourceProperties('AWS::IAM::Policy', {
        PolicyDocument: {
          Statement: Match.arrayWith([Match.objectLike({ Action, Condition: ofKeys(keys) })]),
        },
      });
    allows('dynamodb:DeleteItem', ['line-page#*']);
    allows('dynamodb:UpdateItem', ['line-number#*']);
    allows(['dynamodb:GetItem', 'dynamodb:BatchGetItem'], ['line*']);
  });

  it.each<[string, Partial<QueueProps>, string]>([
    ['another order', { order: 'time' as 'key' }, 'queues.orders.order: expected "key", got "time"'],
    [
      'a death of another kind',
      { order: 'key', onDeadHead: 'wait' as 'hold' },
      'queues.orders.onDeadHead: expected "hold", "skip" or "cancel", got "wait"',
    ],
    [
      'a gap of 15 days',
      { order: 'key', skipGapAfter: Duration.days(15) },
      'queues.orders.skipGapAfter: expected seconds or a duration such as "90s" or "P1DT2H", 1 s or more, at most 14 d, or "never", got 1296000',
    ],
    [
      'a gap in numbers',
      { order: 'key', skipGapAfter: 5 as unknown as Duration },
      'queues.orders.skipGapAfter: expected a Duration or "never"',
    ],
    [
      'rules without order',
      { onDeadHead: 'skip' },
      'queues.orders.onDeadHead: expected "order": "key" beside it, got "skip"',
    ],
    [
      'a schedule by age',
      { order: 'key', progressive: true },
      'queues.orders.progressive: expected nothing beside "order"',
    ],
    ['a retry queue', { order: 'key', retryQueue: 'orders' }, 'retryQueue'],
    [
      'attempts at once of a key',
      { order: 'key', fairness: true, concurrencyPerKey: 1 },
      'queues.orders.concurrencyPerKey: expected nothing beside "order"',
    ],
  ])('refuses %s', (_, queue, message) => {
    expect(() => backlogWith(queue)).toThrow(message);
  });

  it('is refused without an intake, in another stack, and beside a table whose stream has no old images', () => {
    expect(() => backlogWith({ order: 'key' }, { intake: false })).toThrow(
      'queues.orders.order: expected nothing beside "intake": false',
    );
    const stack = newStack();
    const hub = new Backlog(stack, 'Hub', { queues: { default: { deliverTo } } });
    expect(() => hub.addQueue('orders', { deliverTo, order: 'key' })).toThrow('beside "sharedBacklog"');
    const other = new Stack(new App(), 'Other');
    const table = new Table(other, 'Records', {
      partitionKey: { name: 'id', type: AttributeType.STRING },
      stream: StreamViewType.NEW_IMAGE,
    });
    table.addGlobalSecondaryIndex({
      indexName: 'due',
      partitionKey: { name: 'lane', type: AttributeType.STRING },
      sortKey: { name: 'dueAt', type: AttributeType.STRING },
    });
    expect(
      () => new Backlog(other, 'Backlog', { table, queues: { orders: { deliverTo, order: 'key' } } }),
    ).toThrow('expected a table with a stream of new and old images');
  });
});
