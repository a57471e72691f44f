import { Duration } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import type { BacklogProps, QueueAlarms } from '../../../cdk/index.js';
import { backlogWith, propertiesOf, retryQueue } from '../support.js';
import { alarmsOf } from './alarms-of.js';

const ordered = { ...retryQueue, order: 'key' } as const;
const withAlarms = (alarms?: QueueAlarms, props: Partial<BacklogProps> = {}) =>
  backlogWith({ queues: { events: { ...ordered, alarms }, orders: retryQueue }, ...props });
const monitorOf = ({ template }: ReturnType<typeof backlogWith>) =>
  propertiesOf(template, 'AWS::Lambda::Function').find(
    ({ Environment }) => 'BACKLOG_EVENT_SOURCES' in Environment.Variables,
  );

describe('the alarm on lines that are held', () => {
  it('is made for each queue with order, and for no other', () => {
    const made = withAlarms();
    const alarms = alarmsOf(made.template);
    expect(alarms.Heldevents).toMatchObject({
      ...{ Namespace: 'DynamoBacklog', MetricName: 'OldestHeldAge', Statistic: 'Maximum', Period: 300 },
      ...{ Threshold: 300, TreatMissingData: 'notBreaching' },
      AlarmDescription: expect.stringMatching(/^\[ticket\] Records of a key of the queue events .*#held$/),
    });
    expect(alarms).not.toHaveProperty('Heldorders');
    expect(monitorOf(made)?.Environment.Variables.BACKLOG_ORDERED_QUEUES).toBe('["events"]');
  });

  it('has another threshold, or is left out', () => {
    expect(alarmsOf(withAlarms({ held: Duration.hours(1) }).template).Heldevents).toMatchObject({
      Threshold: 3600,
    });
    expect(alarmsOf(withAlarms({ held: false }).template)).not.toHaveProperty('Heldevents');
  });

  it('lets the monitor read lines and tidy its note, and change no line', () => {
    const statements = (made: ReturnType<typeof backlogWith>) =>
      propertiesOf(made.template, 'AWS::IAM::Policy').flatMap(
        ({ PolicyDocument }) => PolicyDocument.Statement,
      );
    const ofLines = (made: ReturnType<typeof backlogWith>) =>
      statements(made)
        .filter(({ Condition }) => JSON.stringify(Condition ?? {}).includes('held-lines#'))
        .map(({ Action, Condition }) => [
          Action,
          Condition['ForAllValues:StringLike']['dynamodb:LeadingKeys'],
        ]);
    expect(ofLines(withAlarms())).toEqual([
      ['dynamodb:BatchGetItem', ['line#*', 'held-lines#*']],
      [['dynamodb:UpdateItem', 'dynamodb:DeleteItem'], ['held-lines#*']],
    ]);
    const without = backlogWith({ queues: { orders: retryQueue } });
    expect(ofLines(without)).toEqual([]);
    expect(monitorOf(without)?.Environment.Variables).not.toHaveProperty('BACKLOG_ORDERED_QUEUES');
  });

  it('is one for all queues with "essential" alarms, except those with a threshold', () => {
    const essential = (alarms?: QueueAlarms) =>
      alarmsOf(withAlarms(alarms, { alarms: 'essential', metrics: 'essential' }).template);
    expect(essential().Held).toMatchObject({ MetricName: 'OldestHeldAge', Threshold: 300 });
    expect(essential()).not.toHaveProperty('Heldevents');
    expect(essential({ held: Duration.hours(1) })).not.toHaveProperty('Held');
    expect(essential({ held: Duration.hours(1) }).Heldevents).toMatchObject({ Threshold: 3600 });
    expect(essential({ held: false })).not.toHaveProperty('Held');
    expect(
      alarmsOf(backlogWith({ queues: { orders: retryQueue }, minimal: true }).template),
    ).not.toHaveProperty('Held');
  });

  it.each<[QueueAlarms, string]>([
    [{ held: 5 as never }, 'alarms.held: expected a Duration or false'],
    [
      { held: Duration.minutes(1) },
      'queues.orders.alarms.held: expected "order": "key" in the queue beside it, got 60 s',
    ],
  ])('refuses %j in a queue without order', (alarms, message) => {
    expect(() => backlogWith({ queues: { orders: { ...retryQueue, alarms } } })).toThrow(message);
  });
});
