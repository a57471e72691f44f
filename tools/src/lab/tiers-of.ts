import type { ResolvedPolicy } from 'dynamo-backlog/engine';
import { type Schedule, scheduleOf } from './schedule-of.js';

/** One tier of a progressive policy, for a record that fails whenever it is due. */
export interface TierFigures {
  readonly everySeconds: number;
  readonly fromAgeSeconds: number;
  readonly untilAgeSeconds: number;
  /** Attempts within the tier; missing where there are more than are counted. */
  readonly attempts?: number;
}

/** Most attempts that are played. */
export const MAX_ATTEMPTS = 10_000;

/** The tiers of a progressive policy, and the schedule that they were counted in. */
export interface PlayedTiers {
  readonly figures: readonly TierFigures[];
  /** The ages at which it is attempted, the first and the last one included. Seconds. */
  readonly ages: readonly number[];
  readonly schedule: Schedule;
}

/** Plays the tiers of a progressive policy; undefined for another policy. */
export function tiersOf(policy: ResolvedPolicy): PlayedTiers | undefined {
  const { tiers } = policy;
  if (!tiers) return undefined;
  const schedule = scheduleOf(policy, { attempts: MAX_ATTEMPTS });
  const { rows, end } = schedule;
  // The failure that ends it has no row: nothing is waited for after it.
  const ages = [0, ...rows.map(({ totalSeconds }) => totalSeconds)].slice(0, MAX_ATTEMPTS);
  const counted = end ? Number.POSITIVE_INFINITY : (ages.at(-1) ?? 0);
  const figures = tiers.map(({ every, untilAge }, i) => {
    const from = tiers[i - 1]?.untilAge ?? 0;
    const attempts = ages.filter((at) => (i === 0 || at > from) && at <= untilAge).length;
    return {
      everySeconds: every,
      fromAgeSeconds: from,
      untilAgeSeconds: untilAge,
      ...(untilAge < counted ? { attempts } : {}),
    };
  });
  return { figures, ages, schedule };
}
