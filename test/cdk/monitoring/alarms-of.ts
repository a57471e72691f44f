import { Duration } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import { progressiveQueue, retryQueue } from '../support.js';

/** A queue of each kind of retries. */
export const queuesOfEachKind = {
  orders: { ...retryQueue, alarms: { lag: Duration.hours(1) } },
  bulk: progressiveQueue,
};

// biome-ignore lint/suspicious/noExplicitAny: CloudFormation's properties have no types here
export type Properties = any;

/** The alarms by their construct's id. */
export function alarmsOf(template: Template): Record<string, Properties> {
  const found = Object.entries(template.findResources('AWS::CloudWatch::Alarm'));
  return Object.fromEntries(
    found.map(([id, { Properties }]) => [
      id.replace(/^BacklogAlarms/, '').replace(/[0-9A-F]{8}$/, ''),
      Properties,
    ]),
  );
}

/** The period of an expression, which is that of its metrics. */
export function periodOf(metrics: Properties): number {
  return metrics.find((one: Properties) => one.MetricStat).MetricStat.Period;
}
