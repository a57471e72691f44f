import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Severity } from '../props/alarm-props.js';

/** An alarm as it will be made. It goes off `above` a threshold, or `below` one; then silence sets it off as well. */
export type AlarmDefinition = {
  readonly id: string;
  readonly severity: Severity;
  /** The heading of docs/runbook.md that it links to. */
  readonly runbook: string;
  readonly metric: IMetric;
  /** Periods, one after the other, in which the threshold is crossed. Default: 1. */
  readonly periods?: number;
  /** Number of these periods in which it must be crossed. Default: all. */
  readonly datapoints?: number;
  /** Missing data keep its state: what is not known is no end. Default: they are no reason for an alarm `above`, and one for `below`. */
  readonly keepsState?: boolean;
  /** An alarm without which records could be late or lost unseen, or which was asked for by name. */
  readonly essential?: boolean;
  /** The meaning of the alarm, and what to look at first. */
  readonly description: string;
} & (
  | { readonly above: number; readonly below?: undefined }
  | { readonly below: number; readonly above?: undefined }
);
