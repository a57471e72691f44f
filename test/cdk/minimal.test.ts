import { readFileSync } from 'node:fs';
import { App, Duration } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { BacklogStack, readMinimal } from '../../cdk/backlog-stack.js';
import type { BacklogProps } from '../../cdk/index.js';
import { backlogWith, progressiveQueue, propertiesOf, retryQueue } from './support.js';

const queues = { orders: retryQueue, bulk: progressiveQueue };
const alarmsOf = (props: Partial<BacklogProps>) => {
  const { backlog } = backlogWith({ queues, minimal: true, ...props });
  return backlog.alarms.map(({ node }) => node.id);
};
const ESSENTIAL = ['Monitor', 'EventDlq', 'IntakeAge', 'IntakeStopped', 'Lag-orders', 'Lag-bulk'];

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
      alarms: { dead: 5, failures: { share: 0.9 }, severity: 'ticket' } as const,
    };
    expect(alarmsOf({ queues: { orders } })).toEqual([
      ...ESSENTIAL.slice(0, 4),
      'Lag-orders',
      'Failures-orders',
      'Dead-orders',
    ]);
    const late = { ...retryQueue, alarms: { lag: Duration.hours(1) } };
    expect(alarmsOf({ queues: { late } })).toEqual([...ESSENTIAL.slice(0, 4), 'Lag-late']);
    expect(alarmsOf({ queues: { off: { ...retryQueue, alarms: false } } })).toEqual(ESSENTIAL.slice(0, 4));
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
  const docs = `With \`minimal: true\` it costs $${sum.toFixed(2)}, and $${(sum - metrics.length * 0.1).toFixed(2)} in an account`;
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
