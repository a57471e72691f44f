import { Duration } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps, type QueueAlarms } from '../../../cdk/index.js';
import { backlogWith, newStack, propertiesOf, retryQueue } from '../support.js';
import { alarmsOf } from './alarms-of.js';

const withAlarm = (alarms: QueueAlarms, props: Partial<BacklogProps> = {}) =>
  backlogWith({ queues: { payments: { ...retryQueue, alarms }, orders: retryQueue }, ...props });
const variablesOf = (alarms: QueueAlarms) =>
  propertiesOf(withAlarm(alarms).template, 'AWS::Lambda::Function').find(
    ({ Environment }) => 'BACKLOG_EVENT_SOURCES' in Environment.Variables,
  )?.Environment.Variables;

describe('the alarm on records that wait for their ends from outside', () => {
  it('is made for the queue that asks for it, and names it to the monitor', () => {
    const alarms = alarmsOf(withAlarm({ pending: Duration.days(2) }).template);
    expect(alarms.Pendingpayments).toMatchObject({
      ...{ Namespace: 'DynamoBacklog', MetricName: 'OldestPending', Statistic: 'Maximum', Period: 300 },
      ...{ Threshold: 172_800, TreatMissingData: 'notBreaching' },
      AlarmDescription: expect.stringMatching(/^\[ticket\] A record of the queue payments .*#pending$/),
    });
    expect(alarms).not.toHaveProperty('Pendingorders');
    expect(variablesOf({ pending: Duration.days(2) }).BACKLOG_PENDING_AGES).toBe('["payments"]');
    for (const none of [{}, { pending: false } as const])
      expect(variablesOf(none)).not.toHaveProperty('BACKLOG_PENDING_AGES');
  });

  it('has its metric for alarms of your own', () => {
    const { backlog } = withAlarm({ pending: Duration.hours(1) });
    const { metricName, statistic, dimensions } = backlog.metricOldestPending('payments');
    expect([metricName, statistic, dimensions?.Queue]).toEqual(['OldestPending', 'Maximum', 'payments']);
  });

  it.each<[QueueAlarms, Partial<BacklogProps>, string]>([
    [{ pending: 5 as never }, {}, 'alarms.pending: expected a Duration or false'],
    [
      { pending: Duration.hours(1) },
      { metrics: 'essential' },
      'queues.payments.alarms.pending: expected false or nothing beside metrics "essential" (give "metrics": "full"), got 3600 s',
    ],
  ])('refuses %j with %j', (alarms, props, message) => {
    expect(() => withAlarm(alarms, props)).toThrow(message);
  });

  it('is refused in a stack whose monitor is in another one', () => {
    const stack = newStack();
    const sharedBacklog = new Backlog(stack, 'Own', { queues: { orders: retryQueue } });
    const queues = { payments: { ...retryQueue, alarms: { pending: Duration.hours(1) } } };
    expect(() => new Backlog(stack, 'Other', { sharedBacklog, queues })).toThrow(
      'expected false or nothing beside "sharedBacklog", whose monitor is in another stack, got 3600 s',
    );
  });
});
