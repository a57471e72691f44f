import * as z from 'zod/mini';
import { type Duration, duration } from '../support/duration.js';
import { DAY_SECONDS, MAX_WAIT_SECONDS } from './policy.js';

/** One row of the progressive schedule: how often records are attempted, up to which age. */
export interface Tier<Length extends Duration = Duration> {
  /** Whole minutes. */
  readonly every: Length;
  readonly untilAge: Length;
}

const HOUR = 3_600;
const DAY = DAY_SECONDS;

/** The default schedule by age. The rules of EventBridge take whole minutes. */
export const DEFAULT_TIERS: readonly Tier<number>[] = [
  { every: 300, untilAge: 1 * DAY },
  { every: 1 * HOUR, untilAge: 7 * DAY },
  { every: 12 * HOUR, untilAge: 14 * DAY },
  { every: 24 * HOUR, untilAge: 30 * DAY },
  { every: 96 * HOUR, untilAge: 180 * DAY },
  { every: 192 * HOUR, untilAge: 360 * DAY },
];

export const tiersSchema = z
  .array(
    z.strictObject({
      every: duration({ least: 60, most: MAX_WAIT_SECONDS }).check(
        z.refine((value) => value % 60 === 0, 'expected whole minutes'),
      ),
      untilAge: duration({ above: 0, most: 100 * MAX_WAIT_SECONDS }),
    }),
  )
  .check(
    z.minLength(1),
    z.refine(
      (tiers) => tiers.every((tier, i) => i === 0 || tier.untilAge > (tiers[i - 1]?.untilAge ?? 0)),
      'expected tiers in ascending order of untilAge',
    ),
    z.refine(
      (tiers) => tiers.every((tier, i) => i === 0 || tier.every >= (tiers[i - 1]?.every ?? 0)),
      'expected intervals (every) that do not shrink with age',
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
  readonly every: number;
  readonly fromAge: number;
  readonly untilAge: number;
  /** The last tier also reads everything older than its end, which is given up there, not forgotten. */
  readonly last: boolean;
}

export function tierBands(tiers: readonly Tier<number>[], functionTimeoutSeconds: number): TierBand[] {
  return tiers.map((tier, i) => {
    const previous = tiers[i - 1];
    return {
      number: i + 1,
      every: tier.every,
      fromAge: previous ? previous.untilAge + functionTimeoutSeconds : 0,
      untilAge: tier.untilAge,
      last: i === tiers.length - 1,
    };
  });
}

/**
 * The greatest age that a record can have at its next turn, if it has had one now and its rules fire on time. The first
 * turn of a tier comes within the tier's interval.
 */
export function latestAgeAtNextTurn(tiers: readonly Tier<number>[], ageSeconds: number): number {
  const at = tiers.findIndex(({ untilAge }) => ageSeconds <= untilAge);
  const { every = 0, untilAge = 0 } = tiers.at(at) ?? {};
  const slower = at < 0 ? undefined : tiers[at + 1];
  return slower && ageSeconds + every > untilAge ? untilAge + slower.every : ageSeconds + every;
}

/** The slower tiers that the rule of a tier looks after: the second one (hourly, by default) has all behind it. */
export function caughtUpBy(band: TierBand, bands: readonly TierBand[]): readonly TierBand[] | undefined {
  const slower = bands.filter(({ number }) => number > band.number);
  return band.number === 2 && slower.length > 0 ? slower : undefined;
}
