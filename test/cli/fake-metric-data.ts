import { Refusal } from './fake-service.js';

/** A metric as a figure is looked up by: `AWS/Lambda Invocations`, and its dimensions' values in their order. */
export type HourlyFigure = (metric: string, ...dimensions: readonly string[]) => number | undefined;

interface Request {
  readonly MetricDataQueries: readonly {
    readonly Id: string;
    readonly MetricStat: {
      readonly Metric: {
        readonly Namespace: string;
        readonly MetricName: string;
        readonly Dimensions: readonly { readonly Name: string; readonly Value: string }[];
      };
      readonly Period: number;
      readonly Stat: string;
    };
  }[];
  readonly StartTime: number;
  readonly EndTime: number;
  readonly NextToken?: string;
}

/** Values of each hour, the same in all hours since `since` (epoch seconds). It checks requests as the documentation says. */
export function metricData({ hourly, since = 0, pageSize = 100_800 }: FakeFigures) {
  return ({ MetricDataQueries, StartTime, EndTime, NextToken = '0' }: Request) => {
    const ids = new Set(MetricDataQueries.map(({ Id }) => Id));
    const isValid =
      MetricDataQueries.length > 0 &&
      MetricDataQueries.length <= 500 &&
      ids.size === MetricDataQueries.length &&
      StartTime < EndTime &&
      MetricDataQueries.every(
        ({ Id, MetricStat: { Period, Stat } }) =>
          /^[a-z][A-Za-z0-9_]*$/.test(Id) && Period === 3_600 && Stat === 'Sum',
      );
    if (!isValid) throw new Refusal('ValidationError', 'refused');
    const hours: number[] = [];
    for (let at = StartTime; at < EndTime; at += 3_600) if (at >= since) hours.push(at);
    const points = MetricDataQueries.flatMap(({ Id, MetricStat: { Metric } }) => {
      const values = Metric.Dimensions.map(({ Value }) => Value);
      const value = hourly(`${Metric.Namespace} ${Metric.MetricName}`, ...values);
      return value === undefined ? [] : hours.map((at) => ({ Id, at, value }));
    });
    const from = Number(NextToken);
    const page = points.slice(from, from + pageSize);
    const results = [...ids].map((Id) => {
      const its = page.filter((point) => point.Id === Id);
      const Timestamps = its.map(({ at }) => at);
      return { Id, Timestamps, Values: its.map(({ value }) => value), StatusCode: 'Complete' };
    });
    return {
      MetricDataResults: results,
      ...(points.length > from + pageSize ? { NextToken: String(from + pageSize) } : {}),
    };
  };
}

export interface FakeFigures {
  readonly hourly: HourlyFigure;
  /** Epoch seconds. */
  readonly since?: number | undefined;
  /** Data points of one answer. */
  readonly pageSize?: number | undefined;
}
