import { DEFAULT_TIERS, latestAgeAtNextTurn } from '../policies/index.js';
import { toIso } from '../support/clock.js';
import { type SettleContext, waitUntil } from './change.js';
import { policyOf } from './policy-of.js';
import { type BacklogRecord, bornAt } from './record.js';

/**
 * The wait of a record whose turns are left to the rules of a progressive queue. After its last turn it rests until its
 * age is over. The rule of the youngest tier fires most often: it finds the record as soon as that time has come, and
 * gives it up. The index key moves for that once in a record's life.
 */
export function waitForTurn(record: BacklogRecord, earliest: number, context: SettleContext) {
  const lastDay = lastDayBeforeNextTurn(record, earliest, context);
  if (lastDay === undefined) return waitUntil(record, earliest, context);
  const { set, remove } = waitUntil(record, context.now, context);
  return { set: { ...set, dueAt: toIso(endOfRest(lastDay)) }, remove, next: undefined };
}

/** An age is over behind its last millisecond. */
export function endOfRest(lastDay: number): number {
  return lastDay + 1;
}

/**
 * The end of a record's age, if it may come before the record's next turn: no turn of its own tier would notice it in
 * time. Undefined where turns come as often as those of the youngest records.
 */
function lastDayBeforeNextTurn(
  record: BacklogRecord,
  earliest: number,
  { policy: { tiers = DEFAULT_TIERS, ...policy }, now }: SettleContext,
): number | undefined {
  const born = bornAt(record);
  const { maxAge } = policyOf(record, policy);
  const lastDay = born + maxAge * 1000;
  const ageSeconds = (Math.max(now, earliest) - born) / 1000;
  const latestAge = latestAgeAtNextTurn(tiers, ageSeconds);
  const isQuick = latestAge - ageSeconds <= (tiers[0]?.every ?? 0);
  return isQuick || latestAge <= maxAge || lastDay < now ? undefined : lastDay;
}
