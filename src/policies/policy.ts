import * as z from 'zod/mini';
import { duration } from '../support/duration.js';

/** A failed attempt, as far as a policy may look at it. */
export interface Failure {
  /** Failures so far, this one included: 1 at the first. */
  readonly failures: number;
  /** The record's age, counted from `availableAt`, or else from `insertedAt`. */
  readonly ageSeconds: number;
}

/** Seconds between which a wait is drawn evenly; the same twice where nothing is left to chance. */
export interface WaitRange {
  readonly least: number;
  readonly most: number;
}

/** The wait that a formula gives after a failure. */
export interface FormulaWait extends WaitRange {
  /** The maximum, which no jitter exceeds. Default: the policy has none of its own. */
  readonly maximum?: number | undefined;
  /** The minimum, which no tick shortens. Default: 0; a wait that the policy draws is never shorter than its least. */
  readonly minimum?: number | undefined;
}

export function fixed(seconds: number, maximum?: number): FormulaWait {
  return { least: seconds, most: seconds, maximum };
}

export function isFixed({ least, most }: WaitRange): boolean {
  return least === most;
}

/** A policy: its own options and its formula. Each has a small file. */
export interface PolicyDefinition<Type extends string, Options> {
  readonly type: Type;
  readonly options: z.ZodMiniType<Options>;
  /** The wait after a failure, before cap and jitter; `undefined` for never again. */
  wait(options: Options, failure: Failure): FormulaWait | undefined;
  /**
   * Growth of the cumulated wait from one failure to the next, in the limit. The default amplitude of the
   * fixed-phase jitter follows from it. Missing: it has no limit.
   */
  limitingGrowth?(options: Options): number | undefined;
  /** Has the fixed-phase jitter by default. The others wait exactly what their formula says. */
  readonly phased?: true;
  /** Draws its waits itself: no jitter can be added. */
  readonly random?: true;
}

/** The limiting growth of a policy whose waits grow more slowly than those of `exponential`. */
export const subexponential = () => 1;

export const DAY_SECONDS = 86_400;
/** The longest wait, whatever the formula says. */
export const MAX_WAIT_SECONDS = 365 * DAY_SECONDS;
/** Age past which a record is given up under every policy. */
export const DEFAULT_MAX_AGE_SECONDS = 360 * DAY_SECONDS;

/** An option that is a wait: a duration, of which the policy gets the seconds. */
export const waitOption = duration({ above: 0, most: MAX_WAIT_SECONDS });

/** Options of the policies without any. */
export const noOptions = z.object({}) as z.ZodMiniType<Record<string, never>>;

/** Options of a curve from a first wait towards a greatest. */
export interface Curve {
  first: number;
  max: number;
}
export const curveOptions = z
  .object({ first: z._default(waitOption, 60), max: z._default(waitOption, DAY_SECONDS) })
  .check(
    z.superRefine(({ first, max }, context) => {
      if (max >= first) return;
      const message = `expected no less than first (${first})`;
      context.addIssue({ code: 'custom', path: ['max'], message, input: max });
    }),
  );
