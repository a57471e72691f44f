import { deadLane, laneOf } from '../record/index.js';
import { hopsOfAttempt } from '../support/attempt-scope.js';
import { toIso } from '../support/clock.js';

export const DEFAULT_MAX_HOPS = 16;
/** A record that waits for so long cannot fill a queue: to insert the next one of a series so is no loop. */
const AGAIN_AFTER_MS = 60_000;

/**
 * The attributes of a record that a handler inserts: the number of records that came one out of the other before it. A
 * handler that inserts into its own queue would never end, and no service notices that. The record above the limit is dead
 * from the start: it is in the table with its payload, and a redrive starts the count again.
 *
 * @param availableAt when it may be attempted first, epoch milliseconds; undefined: at once
 */
export function hopsFor(queue: string, availableAt: number | undefined, now: number, maxHops: number) {
  const before = hopsOfAttempt();
  if (before === undefined || (availableAt !== undefined && availableAt - now >= AGAIN_AFTER_MS)) return {};
  const hops = before + 1;
  if (hops <= maxHops) return { hops };
  const deadReason = `${maxHops} hops: it was inserted by an attempt of a record that ${maxHops} others came before`;
  return { status: 'DEAD', lane: deadLane(laneOf(queue)), dueAt: toIso(now), deadReason };
}
