import type { Alarm } from '../../tools/src/cloudwatch/alarm.js';
import type { CloudFormationTemplate } from '../../tools/src/cloudwatch/template.js';
import { alarmsOf } from './alarms.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** A Sunday. */
export const START = Date.parse('2026-03-01T12:00:00Z');

/** Breaches a threshold of 0 with more than 0. */
export const orders = { namespace: 'Shop', name: 'Orders' };

/** The properties of an alarm on that metric: more than 0 within 5 minutes. */
export const properties = {
  Namespace: orders.namespace,
  MetricName: orders.name,
  Statistic: 'Sum',
  Period: 300,
  EvaluationPeriods: 1,
  Threshold: 0,
  ComparisonOperator: 'GreaterThanThreshold',
  TreatMissingData: 'notBreaching',
};

export function templateOf(
  alarms: Record<string, Record<string, unknown>>,
  composites: Record<string, Record<string, unknown>> = {},
): CloudFormationTemplate {
  const resources = (type: string, all: Record<string, unknown>) =>
    Object.entries(all).map(([id, Properties]) => [id, { Type: `AWS::CloudWatch::${type}`, Properties }]);
  return {
    Resources: Object.fromEntries([
      ...resources('Alarm', alarms),
      ...resources('CompositeAlarm', composites),
    ]),
  };
}

/** The alarm above, with other properties; undefined leaves one out. */
export function alarmWith(changes: Record<string, unknown> = {}): Alarm {
  const [alarm] = alarmsOf(templateOf({ Alarm: { ...properties, ...changes } }));
  if (!alarm) throw new Error('no alarm');
  return alarm;
}
