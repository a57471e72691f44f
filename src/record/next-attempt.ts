import { restOf } from './not-before.js';
import { type BacklogRecord, isPending } from './record.js';

/** A due time is stored up to half a tick of a minute before the end of its wait: see policies/tick.ts. */
const MAX_EARLY_MS = 30_000;

/**
 * The time at which a record that waits is attempted next, ISO-8601, for people: the end of its wait, as its history has
 * it, rather than the time from which a run takes it. Undefined: it does not wait. A record of a progressive queue that
 * has no other time waits for its rule, since its insertion.
 */
export function nextAttemptAt(record: BacklogRecord): string | undefined {
  if (!isPending(record)) return undefined;
  const { dueAt, insertedAt, history } = record;
  const restsUntil = restOf(record);
  if (restsUntil !== undefined && restsUntil > (dueAt ?? '')) return restsUntil;
  const next = history.at(-1)?.next;
  const earlyMs = Date.parse(next ?? '') - Date.parse(dueAt ?? '');
  return next !== undefined && earlyMs >= 0 && earlyMs <= MAX_EARLY_MS ? next : (dueAt ?? insertedAt);
}
