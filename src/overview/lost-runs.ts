import { isExpired } from '../leases/timed-hold.js';
import type { LeaseState } from '../store/store.js';
import type { Clock } from '../support/clock.js';

/** Runs that ended without giving the lease of their lane back: their process died, or ran out of time. */
export interface LostRuns {
  /** The runs that were lost in succession, in the lane where most were. */
  readonly count: number;
  /** The end of the oldest lease that no other run has taken since, the backlog's time in epoch milliseconds. Undefined: all are taken. */
  readonly leftSince: number | undefined;
}

type LeaseEntry = readonly [key: string, lease: LeaseState];

/**
 * The lost runs of one queue, by what they left behind: a lease that has run out, or the losses that the intake counts until a run
 * gives the lease back. Undefined: none is known.
 *
 * @param expired leases that have run out, by key
 * @param held leases that a run holds, by key
 * @param toBacklog turns real time into the backlog's
 */
export function lostRunsOf(
  expired: readonly LeaseEntry[],
  held: readonly LeaseEntry[],
  toBacklog: (wall: number) => number,
): LostRuns | undefined {
  const counts = [...expired.map(([, { lost = 1 }]) => lost), ...held.map(([, { lost = 0 }]) => lost)];
  const count = Math.max(0, ...counts);
  // A damaged lease has no end.
  const end = Math.min(...expired.map(([, { until }]) => until || Number.POSITIVE_INFINITY));
  return count > 0 ? { count, leftSince: Number.isFinite(end) ? toBacklog(end) : undefined } : undefined;
}

/** Leases by key, those that runs hold apart from those that have run out. */
export function byExpiry(
  all: ReadonlyMap<string, LeaseState>,
  clock: Clock,
): {
  /** Leases that a run holds. */
  readonly leases: ReadonlyMap<string, LeaseState>;
  /** Leases that a lost run has left behind. */
  readonly expired: ReadonlyMap<string, LeaseState>;
} {
  const leases = new Map<string, LeaseState>();
  const expired = new Map<string, LeaseState>();
  for (const [key, lease] of all) (isExpired(lease, clock) ? expired : leases).set(key, lease);
  return { leases, expired };
}
