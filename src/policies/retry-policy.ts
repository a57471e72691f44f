import type { Duration } from '../support/duration.js';
import type { JitterInput } from './jitter.js';
import type { Tier } from './tiers.js';

/**
 * A retry policy as plain data. It can stand in code, in configuration, in the CDK app or on one record. The page
 * docs/policies-reference.md has the schedule of each.
 */
export type RetryPolicy =
  | NonePolicy
  | ConstantPolicy
  | LinearPolicy
  | FibonacciPolicy
  | ExponentialPolicy
  | WindowPolicy
  | SidekiqPolicy
  | BucketsPolicy
  | PowerPolicy
  | ArctanPolicy
  | SigmoidPolicy
  | SaturatingPolicy
  | ListPolicy
  | ProgressivePolicy
  | WorkQueuePolicy;

/** Limits of the attempts of a record, under whatever policy. */
export interface RetryLimits {
  /** Attempts that may fail, the first one included. Default: no limit. */
  readonly maxAttempts?: number | undefined;
  /**
   * Age past which the record is dead (`expired`). A wait that would pass it is not begun. Default: 360 days, or the end of the last
   * tier.
   */
  readonly maxAge?: Duration | undefined;
}

/** Options that every policy takes beside its own. */
export interface CommonPolicyOptions extends RetryLimits {
  /** The longest wait, jitter included. Default: 365 days. */
  readonly maxWait?: Duration | undefined;
  /**
   * The tick of the rule that ends a wait of a tick or more: the `nearest` one, up to half a tick early, or the next one
   * (`up`), never early.
   *
   * Whatever it is, `window`, `sidekiq` and `buckets` wait no less than their formulas say, and `exponential` no less than its
   * `min`. The rules of a progressive queue keep its waits themselves. Default: `nearest`.
   */
  readonly rounding?: 'nearest' | 'up' | undefined;
  /**
   * The spread of the waits of records that fail together. `window`, `sidekiq` and `buckets` are random by themselves and take none.
   * Default: `phase` for `fibonacci`, `arctan`, `sigmoid` and `saturating`, none for the others.
   */
  readonly jitter?: JitterInput | undefined;
}

/** Never again: a record is dead at its first failure. */
export interface NonePolicy extends CommonPolicyOptions {
  readonly type: 'none';
}

/** The same wait after every failure: 5, 5, 5 minutes. */
export interface ConstantPolicy extends CommonPolicyOptions {
  readonly type: 'constant';
  /** The wait. Default: 300 s. */
  readonly interval?: Duration | undefined;
}

/** The same wait after every failure, with the default of `LinearRetry`: 35, 35, 35 s. */
export interface LinearPolicy extends CommonPolicyOptions {
  readonly type: 'linear';
  /** The wait. Default: 35 s. */
  readonly interval?: Duration | undefined;
}

/** `unit` times the Fibonacci numbers: 1, 1, 2, 3, 5, 8 minutes. */
export interface FibonacciPolicy extends CommonPolicyOptions {
  readonly type: 'fibonacci';
  /** The first wait. Default: 60 s. */
  readonly unit?: Duration | undefined;
}

/** `min + base^(n - 1) * unit` after failure n: 4, 5, 7, 11, 19, 35 minutes. */
export interface ExponentialPolicy extends CommonPolicyOptions {
  readonly type: 'exponential';
  /** Part of every wait. Default: 180 s. */
  readonly min?: Duration | undefined;
  /** The factor of the other part at every failure, 1 to 1,000. Default: 2. */
  readonly base?: number | undefined;
  /** The other part of the first wait. Default: 60 s. */
  readonly unit?: Duration | undefined;
}

/** Random between `base^(n - 1)` and `base^n` times `interval` after failure n: 35-70, 70-140, 140-280 s. */
export interface WindowPolicy extends CommonPolicyOptions {
  readonly type: 'window';
  /** The least first wait. Default: 35 s. */
  readonly interval?: Duration | undefined;
  /** The factor of the window at every failure, above 1, up to 1,000. Default: 2. */
  readonly base?: number | undefined;
}

/** Sidekiq's formula, `r^4 + 15 + random * 30 * (r + 1)` at retry r from 0: 15-45, 16-76, 31-121 s. */
export interface SidekiqPolicy extends CommonPolicyOptions {
  readonly type: 'sidekiq';
}

/** Random between `r^3` and `(r + 2)^3` at retry r from 0: 0-8, 1-27, 8-64 s. */
export interface BucketsPolicy extends CommonPolicyOptions {
  readonly type: 'buckets';
}

/** `r^5 + 30` at retry r from 0: 30, 31, 62, 273, 1054 s. */
export interface PowerPolicy extends CommonPolicyOptions {
  readonly type: 'power';
}

/** Short at first, then close to `max` for ever: `max * 2/pi * atan(n^3 / 15)`, 1.0, 7.5, 16.3, 20.5 hours. */
export interface ArctanPolicy extends CommonPolicyOptions {
  readonly type: 'arctan';
  /** The wait that it comes close to. Default: a day. */
  readonly max?: Duration | undefined;
}

/** An S-curve from `first` to `max`: 1 minute, 11.1, 18.3, 21.7 hours. */
export interface SigmoidPolicy extends CommonPolicyOptions {
  readonly type: 'sigmoid';
  /** The first wait. Default: 60 s. */
  readonly first?: Duration | undefined;
  /** The wait that it comes close to. Default: a day. */
  readonly max?: Duration | undefined;
}

/** Rises fast from `first`, and saturates slowly towards `max`: 1 minute, 8.4, 12.4, 14.8 hours. */
export interface SaturatingPolicy extends CommonPolicyOptions {
  readonly type: 'saturating';
  /** The first wait. Default: 60 s. */
  readonly first?: Duration | undefined;
  /** The wait that it comes close to. Default: a day. */
  readonly max?: Duration | undefined;
}

/** Waits that are written down. */
export interface ListPolicy extends CommonPolicyOptions {
  readonly type: 'list';
  /** The waits, 1 to 100 of them. Default: 5, 10 and 25 minutes. */
  readonly waits?: readonly Duration[] | undefined;
  /** The sequel of the list: `dead`, the `last` wait again and again, or another policy. Default: `dead`. */
  readonly afterwards?: 'dead' | 'last' | RetryPolicy | undefined;
}

/** The interval of the tier that the record's age is in: every 5 minutes at first, every 8 days at last. */
export interface ProgressivePolicy extends CommonPolicyOptions {
  readonly type: 'progressive';
  /** The tiers, from the youngest records to the oldest. Default: those of docs/policies-reference.md. */
  readonly tiers?: readonly Tier[] | undefined;
}

/** The retry types `NoRetry`, `LinearRetry` and `ExponentialRetry`, with their own options. */
export interface WorkQueuePolicy {
  readonly type: 'NoRetry' | 'LinearRetry' | 'ExponentialRetry';
  /** Attempts after the first. Default 3. */
  readonly MaxRetries?: number | undefined;
  /** Default 35. */
  readonly RetryIntervalSeconds?: Duration | undefined;
  /** Default 2. */
  readonly ExponentialRetryBase?: number | undefined;
}

/** The types in this library's own words. */
export type PolicyType = Exclude<RetryPolicy['type'], WorkQueuePolicy['type']>;
