import * as z from 'zod/mini';
import { DAY_SECONDS, MAX_WAIT_SECONDS } from './policy.js';

/** One row of the progressive schedule: how often records are attempted, up to which age. */
export interface Tier {
  readonly everySeconds: number;
  readonly untilAgeSeconds: number;
}

const HOUR = 3_600;
const DAY = DAY_SECONDS;

/** The default schedule by age. The rules of EventBridge take whole minutes. */
export const DEFAULT_TIERS: readonly Tier[] = [
  { everySeconds: 300, untilAgeSeconds: 1 * DAY },
  { everySeconds: 1 * HOUR, untilAgeSeconds: 7 * DAY },
  { everySeconds: 12 * HOUR, untilAgeSeconds: 14 * DAY },
  { everySeconds: 24 * HOUR, untilAgeSeconds: 30 * DAY },
  { everySeconds: 96 * HOUR, untilAgeSeconds: 180 * DAY },
  { everySeconds: 192 * HOUR, untilAgeSeconds: 360 * DAY },
];

export const tiersSchema = z
  .array(
    z.strictObject({
      everySeconds: z.number().check(
        z.minimum(60),
        z.maximum(MAX_WAIT_SECONDS),
        z.refine((value) => value % 60 === 0, 'expected whole minutes'),
      ),
      untilAgeSeconds: z.number().check(z.positive(), z.maximum(100 * MAX_WAIT_SECONDS)),
    }),
  )
  .check(
    z.minLength(1),
    z.refine(
      (tiers) =>
        tiers.every((tier, i) => i === 0 || tier.untilAgeSeconds > (tiers[i - 1]?.untilAgeSeconds ?? 0)),
      'expected tiers in ascending order of untilAgeSeconds',
    ),
    z.refine(
      (tiers) => tiers.every((tier, i) => i === 0 || tier.everySeconds >= (tiers[i - 1]?.everySeconds ?? 0)),
      'expected intervals (everySeconds) that do not shrink with age',
    ),
  );

/**
 * The ages that one rule attempts.
 *
 *     tier 1   |-------------|
 *     tier 2                   |---------------|        the gap is one function timeout:
 *     tier 3                                     |----  a record that comes of age is never in two runs
 */
export interface TierBand {
  /** Counted from 1. */
  readonly number: number;
  readonly everySeconds: number;
  readonly fromAgeSeconds: number;
  readonly untilAgeSeconds: number;
  /** The last tier also reads everything older than its end, which is given up there, not forgotten. */
  readonly last: boolean;
}

export function tierBands(tiers: readonly Tier[], functionTimeoutSeconds: number): TierBand[] {
  return tiers.map((tier, i) => {
    const previous = tiers[i - 1];
    return {
      number: i + 1,
      everySeconds: tier.everySeconds,
      fromAgeSeconds: previous ? previous.untilAgeSeconds + functionTimeoutSeconds : 0,
      untilAgeSeconds: tier.untilAgeSeconds,
      last: i === tiers.length - 1,
    };
  });
}

/** The slower tiers that the rule of a tier looks after: the second one (hourly, by default) has all behind it. */
export function caughtUpBy(band: TierBand, bands: readonly TierBand[]): readonly TierBand[] | undefined {
  const slower = bands.filter(({ number }) => number > band.number);
  return band.number === 2 && slower.length > 0 ? slower : undefined;
}
