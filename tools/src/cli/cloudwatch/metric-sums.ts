import type { MetricId } from '../../cloudwatch/metric-data.js';
import type { CloudWatch } from './ask.js';

/** Whole hours, epoch milliseconds. The end is not among them. */
export interface Hours {
  readonly from: number;
  readonly to: number;
}

/** A metric's sum over some hours. */
export interface MetricSum {
  readonly sum: number;
  /** Hours in which the metric was written. */
  readonly hours: number;
}

const HOUR_SECONDS = 3_600;
/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html */
const MAX_METRICS = 500;

/** Reads the sums of metrics, in their order, in requests for up to 500 of them. CloudWatch keeps hours for 455 days. */
export async function metricSums(
  cloudWatch: CloudWatch,
  metrics: readonly MetricId[],
  hours: Hours,
): Promise<MetricSum[]> {
  const sums: MetricSum[] = [];
  for (let at = 0; at < metrics.length; at += MAX_METRICS)
    sums.push(...(await sumsOf(cloudWatch, metrics.slice(at, at + MAX_METRICS), hours)));
  return sums;
}

async function sumsOf(
  { client, sdk }: CloudWatch,
  metrics: readonly MetricId[],
  { from, to }: Hours,
): Promise<MetricSum[]> {
  const sums = metrics.map(() => ({ sum: 0, hours: 0 }));
  const MetricDataQueries = metrics.map(({ namespace, name, dimensions = {} }, i) => ({
    Id: `m${i}`,
    MetricStat: {
      Metric: {
        Namespace: namespace,
        MetricName: name,
        Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
      },
      Period: HOUR_SECONDS,
      Stat: 'Sum',
    },
  }));
  const request = { MetricDataQueries, StartTime: new Date(from), EndTime: new Date(to) };
  for await (const { MetricDataResults = [] } of sdk.paginateGetMetricData({ client }, request)) {
    for (const { Id = '', Values = [], StatusCode = 'Complete' } of MetricDataResults) {
      if (StatusCode !== 'Complete' && StatusCode !== 'PartialData')
        throw new Error(`a metric could not be read (${StatusCode})`);
      const its = sums[Number(Id.slice(1))];
      if (!its) continue;
      for (const value of Values) its.sum += value;
      its.hours += Values.length;
    }
  }
  return sums;
}
