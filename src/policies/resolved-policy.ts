import type { Jitter } from './jitter.js';
import type { Failure, FormulaWait, WaitRange } from './policy.js';
import type { PolicyType } from './retry-policy.js';
import type { Tier } from './tiers.js';

/** A policy with its defaults filled in and its formula at hand. */
export interface ResolvedPolicy {
  readonly type: PolicyType;
  readonly maxAttempts: number;
  readonly maxAge: number;
  readonly maxWait: number;
  readonly jitter: Jitter;
  /** The tick that a wait is kept to: see `tick.ts`. */
  readonly rounding: 'nearest' | 'up';
  /** The tiers of a `progressive` policy. */
  readonly tiers?: readonly Tier<number>[] | undefined;
  /** The wait before jitter; `undefined` for never again. */
  baseWait(failure: Failure): WaitRange | undefined;
  /**
   * The wait with its jitter, of all records and draws together: never more than `maxWait`, nor than the maximum of the
   * policy itself.
   */
  jitteredWait(failure: Failure): FormulaWait | undefined;
  /** Sums of these waits after so many failures, seconds. */
  totals(failures: number): WaitRange;
}
