import type { AlarmRule } from './alarm-rule.js';
import type { Expression } from './expressions.js';
import type { MetricQuery } from './metric-data.js';

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

interface AnyAlarm {
  /** Its logical id in the template. */
  readonly id: string;
  /** Its own, or the logical id. */
  readonly name: string;
  readonly description: string;
  /** Actions in state ALARM. Without any, or with its actions disabled, it notifies no operator. */
  readonly actions: readonly string[];
}

export interface MetricAlarm extends AnyAlarm {
  readonly type: 'metric';
  /** Metrics and expressions. One of them is watched: see `watchedOf`. */
  readonly queries: readonly AlarmQuery[];
  readonly threshold: number;
  readonly comparison: Comparison;
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly missingData: MissingData;
  readonly window: 'sliding' | 'wallClock';
}

export type AlarmQuery = {
  readonly id: string;
  readonly returnData: boolean;
} & (
  | { readonly metric: MetricQuery }
  | { readonly expression: Expression; readonly period: number | undefined }
);

export interface CompositeAlarm extends AnyAlarm {
  readonly type: 'composite';
  readonly rule: AlarmRule;
  /** All alarms of the template by their logical ids, this one among them. */
  readonly alarms: ReadonlyMap<string, Alarm>;
}

export type Alarm = MetricAlarm | CompositeAlarm;

export type MissingData = 'missing' | 'ignore' | 'breaching' | 'notBreaching';

export const MISSING_DATA: readonly MissingData[] = ['missing', 'ignore', 'breaching', 'notBreaching'];

export const COMPARISONS = {
  GreaterThanThreshold: (value: number, threshold: number) => value > threshold,
  GreaterThanOrEqualToThreshold: (value: number, threshold: number) => value >= threshold,
  LessThanThreshold: (value: number, threshold: number) => value < threshold,
  LessThanOrEqualToThreshold: (value: number, threshold: number) => value <= threshold,
};

export type Comparison = keyof typeof COMPARISONS;

/** Seconds. All metrics of an alarm have the same: see `checkAlarm`. */
export function periodOf({ id, queries }: MetricAlarm): number {
  const metric = queries.find((query) => 'metric' in query);
  const period = metric ? metric.metric.period : queries.find((query) => 'expression' in query)?.period;
  if (period === undefined) throw new Error(`alarm ${id}: expected a period`);
  return period;
}

export function watchedOf({ id, queries }: MetricAlarm): AlarmQuery {
  const watched = queries.find(({ returnData }) => returnData);
  if (!watched) throw new Error(`alarm ${id}: expected one metric or expression with ReturnData`);
  return watched;
}
