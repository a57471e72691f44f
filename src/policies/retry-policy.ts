import type { Duration } from '../duration.js';
import type { JitterInput } from './jitter.js';
import type { Tier } from './tiers.js';

interface CommonOptions {
  readonly maxAttempts?: number | undefined;
  readonly maxAge?: Duration | undefined;
  readonly maxWait?: Duration | undefined;
  readonly jitter?: JitterInput | undefined;
}

/** A policy with its own options. */
type Of<Type extends string, Options = object> = { readonly type: Type } & {
  readonly [Option in keyof Options]?: Options[Option] | undefined;
} & CommonOptions;

type CurveOptions = { first: Duration; max: Duration };

/** When to try again, as plain data: it can stand in code, in configuration, in the CDK app or on one record. */
export type RetryPolicy =
  | Of<'none'>
  | Of<'constant', { interval: Duration }>
  | Of<'linear', { interval: Duration }>
  | Of<'fibonacci', { unit: Duration }>
  | Of<'exponential', { min: Duration; base: number; unit: Duration }>
  | Of<'window', { interval: Duration; base: number }>
  | Of<'sidekiq'>
  | Of<'buckets'>
  | Of<'power'>
  | Of<'arctan', { max: Duration }>
  | Of<'sigmoid', CurveOptions>
  | Of<'saturating', CurveOptions>
  | Of<'list', { waits: readonly Duration[]; afterwards: 'dead' | 'last' | RetryPolicy }>
  | Of<'progressive', { tiers: readonly Tier[] }>
  | WorkQueuePolicy;

/** The types in this library's own words. */
export type PolicyType = Exclude<RetryPolicy['type'], WorkQueuePolicy['type']>;

/** The retry types `NoRetry`, `LinearRetry` and `ExponentialRetry`, with their own options. */
export type WorkQueuePolicy = {
  readonly type: 'NoRetry' | 'LinearRetry' | 'ExponentialRetry';
  /** Attempts after the first. Default 3. */
  readonly MaxRetries?: number | undefined;
  /** Default 35. */
  readonly RetryIntervalSeconds?: Duration | undefined;
  /** Default 2. */
  readonly ExponentialRetryBase?: number | undefined;
};
