import type { ResolvedPolicy } from '../../policies/index.js';
import { type Schedule, scheduleOf } from './schedule-of.js';

/** One tier of a progressive policy, for a record that fails whenever it is due. */
export interface TierFigures {
  readonly everySeconds: number;
  readonly fromAgeSeconds: number;
  readonly untilAgeSeconds: number;
  /** How many failures happen in it; missing where there are more than are counted. */
  readonly failures?: number;
}

/** More failures than these are not played. */
export const MOST_FAILURES = 10_000;

/** The tiers of a progressive policy, and the schedule that they were counted in. */
export interface PlayedTiers {
  readonly figures: readonly TierFigures[];
  readonly schedule: Schedule;
}

/** Undefined for another policy. */
export function tiersOf(policy: ResolvedPolicy): PlayedTiers | undefined {
  const { tiers } = policy;
  if (!tiers) return undefined;
  const schedule = scheduleOf(policy, { attempts: MOST_FAILURES });
  const { rows, end } = schedule;
  // The failure that ends it has no row, and belongs to no tier.
  const ages = rows.map(({ totalSeconds, waitSeconds }) => totalSeconds - waitSeconds);
  const counted = end ? Number.POSITIVE_INFINITY : (ages.at(-1) ?? 0);
  const figures = tiers.map(({ every, untilAge }, i) => {
    const from = tiers[i - 1]?.untilAge ?? 0;
    const failures = ages.filter((at) => (i === 0 || at > from) && at <= untilAge).length;
    return {
      everySeconds: every,
      fromAgeSeconds: from,
      untilAgeSeconds: untilAge,
      ...(untilAge < counted ? { failures } : {}),
    };
  });
  return { figures, schedule };
}
