import * as z from 'zod';

/** What a policy may look at when an attempt has failed. */
export interface Failure {
  /** Failures so far, this one included: 1 at the first. */
  readonly failures: number;
  /** The record's age, counted from `availableAt`, or else from `insertedAt`. */
  readonly ageSeconds: number;
}

/** What one policy is: its own options and its formula. One small file each. */
export interface PolicyDefinition<Type extends string, Options> {
  readonly type: Type;
  readonly options: z.ZodType<Options>;
  /** Seconds until the next attempt before cap and jitter; `undefined` for never again. */
  baseWaitSeconds(options: Options, failure: Failure): number | undefined;
  /** Total attempts, where the policy itself limits them. */
  readonly maxAttempts?: number | undefined;
  /**
   * Growth of the cumulated wait from one failure to the next, in the limit. The default amplitude of the
   * fixed-phase jitter follows from it. `undefined`: no jitter by default.
   */
  readonly limitingGrowth: number | undefined;
}

export const DAY_SECONDS = 86_400;
/** No wait is longer, whatever the formula says. */
export const MAX_WAIT_SECONDS = 365 * DAY_SECONDS;
/** Age past which a record is given up under every policy. */
export const DEFAULT_MAX_AGE_SECONDS = 360 * DAY_SECONDS;

export const seconds = z.number().positive().max(MAX_WAIT_SECONDS);

const phaseJitter = z.strictObject({
  type: z.literal('phase'),
  /** Half the relative width of the spread; by default from the policy's growth. */
  amplitude: z.number().min(0).lt(1).optional(),
});
const noJitter = z.strictObject({ type: z.literal('none') });
const jitterSchema = z.union([
  z.literal('none').transform(() => ({ type: 'none' as const })),
  z.literal('phase').transform((): z.output<typeof phaseJitter> => ({ type: 'phase' })),
  phaseJitter,
  noJitter,
]);

/** Options that every policy takes beside its own. */
export const commonOptions = {
  /** Attempts in all, the first one included (seed 002's MaxRetries + 1). Default: no limit. */
  maxAttempts: z.int().min(1).optional(),
  /** Age past which the record is dead (`expired`). Default: 360 days. */
  maxAgeSeconds: z
    .number()
    .positive()
    .max(100 * MAX_WAIT_SECONDS)
    .optional(),
  /** No wait is longer, jitter included. Default and most: 365 days. */
  maxWaitSeconds: seconds.optional(),
  /** `"phase"`, `"none"`, or `{ "type": "phase", "amplitude": 0.236 }`. Default: the fixed phase. */
  jitter: jitterSchema.optional(),
};
