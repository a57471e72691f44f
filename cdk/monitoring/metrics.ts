import { Duration } from 'aws-cdk-lib';
import { Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { keyDimension } from '../../src/monitor/key-dimension.js';

/** The namespace of the metrics, as functions/metrics.ts emits them. */
export const METRICS_NAMESPACE = 'DynamoBacklog';

export type MetricName =
  | 'Attempted'
  | 'Succeeded'
  | 'Failed'
  | 'Dead'
  | 'Snoozed'
  | 'Pending'
  | 'Cancelled'
  | 'UnknownTask'
  | 'Probes'
  | 'CaughtUp'
  | 'LagSeconds'
  | 'FailingSeconds'
  | 'OldestDueAge'
  | 'Waiting'
  | 'Due'
  | 'InRetry'
  | 'DeadRecords'
  | 'OldestPending'
  | 'OldestHeldAge'
  | KeyMetricName;

/** Metrics of one key of a queue, or of its worst key. */
export type KeyMetricName = 'KeyWaiting' | 'KeyInRetry';

/** Metrics that are read, not counted: the sum of the readings of five minutes would mean nothing. */
const GAUGES: ReadonlySet<string> = new Set([
  'LagSeconds',
  'FailingSeconds',
  'OldestDueAge',
  'Waiting',
  'Due',
  'InRetry',
  'DeadRecords',
  'KeyWaiting',
  'KeyInRetry',
  'OldestPending',
  'OldestHeldAge',
  'SourcesStopped',
  'RemovedQueueWaiting',
]);

export type TableMetricName =
  | 'Indexed'
  | 'Repaired'
  | 'UnknownQueue'
  | 'Refused'
  | 'Redelivered'
  | 'NotIndexed'
  | 'Unprocessed'
  | 'SourcesStopped'
  | 'RemovedQueueWaiting'
  | 'OldestDueAge'
  | 'Dead'
  | 'FailingSeconds'
  | 'OldestHeldAge';

/** A metric of the whole backlog: the sum over five minutes. */
export function tableMetric(
  tableName: string,
  metricName: TableMetricName,
  options: MetricOptions = {},
): Metric {
  return metric(metricName, { Table: tableName }, options);
}

/** A metric of one queue: the sum over five minutes, or the largest value in them. */
export function queueMetric(
  tableName: string,
  queue: string,
  metricName: MetricName,
  options: MetricOptions = {},
): Metric {
  return metric(metricName, { Table: tableName, Queue: queue }, options);
}

/** A metric of one key of a queue: the largest value in five minutes. */
export function keyMetric(
  tableName: string,
  { queue, key }: { readonly queue: string; readonly key: string },
  metricName: KeyMetricName,
  options: MetricOptions = {},
): Metric {
  return metric(metricName, { Table: tableName, Queue: queue, Key: keyDimension(key) }, options);
}

function metric(metricName: string, dimensionsMap: Record<string, string>, options: MetricOptions): Metric {
  return new Metric({
    namespace: METRICS_NAMESPACE,
    metricName,
    dimensionsMap,
    statistic: GAUGES.has(metricName) ? Stats.MAXIMUM : Stats.SUM,
    period: Duration.minutes(5),
    ...options,
  });
}
