import type { QueueOwner, Registry } from '../store/store.js';
import { givenUp, sinceConfirmed } from './ownership.js';

/** Confirmed once a day; two hours more for a day that was a little longer. */
const UNCONFIRMED_MS = 26 * 3_600_000;
/** The age at which the entry of a removed queue without records is deleted. */
const KEPT_MS = 7 * 86_400_000;

/** The time since which no function serves a queue, as far as its entry says; ISO-8601. Undefined: one does. */
export function removedSince(entry: QueueOwner, now: number): string | undefined {
  return entry.removedAt ?? (sinceConfirmed(entry, now) > UNCONFIRMED_MS ? entry.at : undefined);
}

/** The identity of a monitor. */
export interface Monitor {
  readonly owner: string;
  /** The queues in its settings. */
  readonly queues: ReadonlySet<string>;
}

/**
 * The queues that no function serves any more: given up, or not confirmed for more than a day. A queue of the monitor's
 * own stack that is not in its settings is given up: its function may be gone, and cannot say so.
 *
 * @returns the entries of these queues, as they are to be written
 */
export function removedQueues({ queues }: Registry, monitor: Monitor, now: number): Map<string, QueueOwner> {
  const removed = new Map<string, QueueOwner>();
  for (const [name, entry] of queues) {
    const isOfStack = entry.owner === monitor.owner;
    if (isOfStack && monitor.queues.has(name)) continue;
    const current = isOfStack ? givenUp(entry, now) : entry;
    if (removedSince(current, now) !== undefined) removed.set(name, current);
  }
  return removed;
}

/**
 * The registry without the queues that were removed a week ago and in which no record waits.
 *
 * @param removed of `removedQueues`
 * @param isEmpty whether no record waits in a queue
 * @returns undefined: there is nothing to write
 */
export function tidied(
  { queues }: Registry,
  removed: ReadonlyMap<string, QueueOwner>,
  isEmpty: (queue: string) => boolean,
  now: number,
): ReadonlyMap<string, QueueOwner> | undefined {
  const next = new Map(queues);
  for (const [name, entry] of removed) {
    const since = now - Date.parse(removedSince(entry, now) ?? '');
    if (since >= KEPT_MS && isEmpty(name)) next.delete(name);
    else next.set(name, entry);
  }
  const isNew = next.size < queues.size || [...next].some(([name, entry]) => queues.get(name) !== entry);
  return isNew ? next : undefined;
}
