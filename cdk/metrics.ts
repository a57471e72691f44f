import { Duration } from 'aws-cdk-lib';
import { Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';

/** As functions/metrics.ts emits them. */
export const METRICS_NAMESPACE = 'DynamoBacklog';

export type MetricName =
  | 'Attempted'
  | 'Succeeded'
  | 'Failed'
  | 'Dead'
  | 'Snoozed'
  | 'Cancelled'
  | 'UnknownTask'
  | 'CaughtUp'
  | 'LagSeconds';

export type IntakeMetricName = 'Indexed' | 'Repaired' | 'UnknownQueue' | 'Refused' | 'Redelivered';

/** A metric of the intake: the sum over five minutes. */
export function intakeMetric(
  tableName: string,
  metricName: IntakeMetricName,
  options: MetricOptions = {},
): Metric {
  return new Metric({
    namespace: METRICS_NAMESPACE,
    metricName,
    dimensionsMap: { Table: tableName },
    statistic: Stats.SUM,
    period: Duration.minutes(5),
    ...options,
  });
}

/** A metric of one queue: the sum over five minutes, or the largest lag in them. */
export function queueMetric(
  tableName: string,
  queue: string,
  metricName: MetricName,
  options: MetricOptions = {},
): Metric {
  return new Metric({
    namespace: METRICS_NAMESPACE,
    metricName,
    dimensionsMap: { Table: tableName, Queue: queue },
    statistic: metricName === 'LagSeconds' ? Stats.MAXIMUM : Stats.SUM,
    period: Duration.minutes(5),
    ...options,
  });
}
