import type { JitterInput } from './jitter.js';
import type { Tier } from './tiers.js';

interface CommonOptions {
  readonly maxAttempts?: number | undefined;
  readonly maxAgeSeconds?: number | undefined;
  readonly maxWaitSeconds?: number | undefined;
  readonly jitter?: JitterInput | undefined;
}

/** A policy with its own options. */
type Of<Type extends string, Options = object> = { readonly type: Type } & {
  readonly [Option in keyof Options]?: Options[Option] | undefined;
} & CommonOptions;

type CurveOptions = { firstSeconds: number; maxSeconds: number };

/** When to try again, as plain data: it can stand in code, in configuration, in the CDK app or on one record. */
export type RetryPolicy =
  | Of<'none'>
  | Of<'constant', { intervalSeconds: number }>
  | Of<'linear', { intervalSeconds: number }>
  | Of<'fibonacci', { unitSeconds: number }>
  | Of<'exponential', { minSeconds: number; base: number; unitSeconds: number }>
  | Of<'window', { intervalSeconds: number; base: number }>
  | Of<'sidekiq'>
  | Of<'buckets'>
  | Of<'power'>
  | Of<'arctan', { maxSeconds: number }>
  | Of<'sigmoid', CurveOptions>
  | Of<'saturating', CurveOptions>
  | Of<'list', { waitsSeconds: readonly number[]; afterwards: 'dead' | 'last' | RetryPolicy }>
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
  readonly RetryIntervalSeconds?: number | undefined;
  /** Default 2. */
  readonly ExponentialRetryBase?: number | undefined;
};
