import { readFileSync } from 'node:fs';
import { App, Duration } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { BacklogStack, readMinimal } from '../../../cdk/app/backlog-stack.js';
import type { BacklogProps } from '../../../cdk/index.js';
import { backlogWith, progressiveQueue, propertiesOf, retryQueue } from '../support.js';

const queues = { orders: retryQueue, bulk: progressiveQueue };
const alarmsOf = (props: Partial<BacklogProps>) => {
  const { backlog } = backlogWith({ queues, minimal: true, ...props });
  return backlog.alarms.map(({ node }) => node.id);
};
const ESSENTIAL = ['Monitor', 'EventDlq', 'IntakeAge', 'Lag', 'Failures', 'Dead'];

describe('minimal', () => {
  it('has no dashboard, no composite alarm, the essential metrics and the essential alarms', () => {
    const { backlog, template } = backlogWith({ queues, minimal: true });
    expect(backlog.dashboard).toBeUndefined();
    expect(backlog.compositeAlarm).toBeUndefined();
    expect(backlog.alarms.map(({ node }) => node.id)).toEqual(ESSENTIAL);
    const levels = propertiesOf(template, 'AWS::Lambda::Function').map(
      ({ Environment }) => Environment.Variables.BACKLOG_METRICS,
    );
    expect(new Set(levels)).toEqual(new Set(['essential']));
  });

  it('has the alarm on schedules that could not start a function', () => {
    expect(alarmsOf({ trigger: 'scheduler' })).toContain('ScheduleDeadLetters');
  });

  it('gives way to what is given beside it', () => {
    const { backlog, template } = backlogWith({
      queues,
      minimal: true,
      dashboard: true,
      widget: true,
      compositeAlarm: true,
      metrics: 'full',
      alarms: true,
    });
    const { backlog: usual } = backlogWith({ queues });
    expect(backlog.dashboard).toBeDefined();
    expect(backlog.compositeAlarm).toBeDefined();
    expect(backlog.alarms).toHaveLength(usual.alarms.length);
    expect(JSON.stringify(template.toJSON())).not.toContain('BACKLOG_METRICS');
    expect(alarmsOf({ alarms: false })).toEqual([]);
  });

  it('has the alarms, too, whose thresholds a queue gives', () => {
    const orders = {
      ...retryQueue,
      alarms: { dead: 5, failures: true, severity: 'ticket' } as const,
    };
    const ofAll = ESSENTIAL.slice(0, 3);
    expect(alarmsOf({ queues: { orders } })).toEqual([...ofAll, 'Lag', 'Failures-orders', 'Dead-orders']);
    const late = { ...retryQueue, alarms: { lag: Duration.hours(1) } };
    expect(alarmsOf({ queues: { late } })).toEqual([...ofAll, 'Failures', 'Dead', 'Lag-late']);
    expect(alarmsOf({ queues: { off: { ...retryQueue, alarms: false } } })).toEqual(ofAll);
    expect(alarmsOf({ queues: { off: { ...retryQueue, enabled: false } } })).toEqual(ofAll);
  });

  it('has one alarm each for all queues, by the largest of their thresholds', () => {
    const slow = { ...retryQueue, attemptTimeout: Duration.seconds(100) };
    const own = { ...retryQueue, alarms: { lag: Duration.hours(5) } };
    const { template } = backlogWith({ queues: { ...queues, slow, own }, minimal: true });
    const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm');
    expect(
      alarms.find(({ AlarmDescription }) => /record of some queue/.test(AlarmDescription)),
    ).toMatchObject({
      MetricName: 'OldestDueAge',
      Dimensions: [{ Name: 'Table' }],
      Threshold: 280,
    });
  });

  it('tells the functions which queues do not count for the alarms of all', () => {
    const orders = { ...retryQueue, alarms: { lag: false, dead: 5 } } as const;
    const { template } = backlogWith({ queues: { ...queues, orders }, minimal: true });
    const known = propertiesOf(template, 'AWS::Lambda::Function').map(
      ({ Environment }) => JSON.parse(Environment.Variables.BACKLOG_QUEUES).orders?.ownAlarms,
    );
    // The function that attempts its records, and the monitor.
    expect(known.filter(Boolean)).toEqual([
      ['lag', 'dead'],
      ['lag', 'dead'],
    ]);
  });

  it('has the same alarms where all metrics are written, and no function writes theirs without them', () => {
    expect(alarmsOf({ metrics: 'full' })).toEqual(ESSENTIAL);
    const writersOf = (props: Partial<BacklogProps>) =>
      propertiesOf(backlogWith({ queues, minimal: true, ...props }).template, 'AWS::Lambda::Function').filter(
        ({ Environment }) => Environment.Variables.BACKLOG_TABLE_ALARMS === 'true',
      );
    // Two functions of queues, and the monitor.
    expect(writersOf({ metrics: 'full' })).toHaveLength(3);
    expect([...writersOf({ alarms: true }), ...writersOf({ alarms: false })]).toEqual([]);
  });

  it('refuses an overview without a dashboard', () => {
    expect(() => backlogWith({ queues, minimal: true, widget: true })).toThrow(
      'Backlog.widget: expected false or nothing beside "minimal" without "dashboard": true, as it is a part of it, got true',
    );
  });
});

it('the minimal app costs what docs/monitoring.md says, less than a dollar a month', () => {
  const stack = new BacklogStack(new App(), 'DynamoBacklog', {
    deliverTo: 'https://erp.example.com',
    minimal: true,
  });
  const template = Template.fromStack(stack);
  template.resourceCountIs('AWS::CloudWatch::CompositeAlarm', 0);
  template.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
  const metrics = propertiesOf(template, 'AWS::CloudWatch::Alarm').flatMap(
    ({ Metrics = [{ MetricStat: {} }] }) =>
      Metrics.filter((one: { MetricStat?: object }) => one.MetricStat !== undefined),
  );
  // Alarms, polling of SQS, polls, the monitor.
  const sum = metrics.length * 0.1 + 0.26 + 0.05 + 0.05;
  expect(sum).toBeLessThan(1);
  // Ten alarms are free.
  const docs = `With \`minimal: true\` the package's own app costs $${sum.toFixed(2)}, and $${(sum - metrics.length * 0.1).toFixed(2)} in an account`;
  expect(readFileSync('docs/monitoring.md', 'utf8')).toContain(docs);
});

it('the app takes it from its context', () => {
  expect([undefined, null, 'true', true, 'false', false].map(readMinimal)).toEqual([
    undefined,
    undefined,
    true,
    true,
    false,
    false,
  ]);
  expect(() => readMinimal('yes')).toThrow('minimal: expected true or false, got "yes"');
});
