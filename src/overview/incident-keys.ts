import { groupBy } from '../support/group-by.js';
import type { Sign } from './signs.js';
import type { IncidentQueue } from './snapshot.js';

/** Destinations of one queue, and of no other, that are one incident: rather the queue is at fault. */
const MANY = 3;

/**
 * Finds the id of the incident that each of these signs belongs to: that of its destination. Where many destinations of one queue,
 * and of no other, have failed at one time, it is that of the queue, which stays when the first of them recover.
 */
export function incidentKeys<Queue extends IncidentQueue>(
  signs: readonly Sign<Queue>[],
): (sign: Sign<Queue>) => string {
  const named = signs.filter(({ destination }) => destination !== undefined);
  const byDestination = groupBy(named, ({ destination }) => destination);
  const isOwn = (sign: Sign<Queue>, at: number) => {
    const all = byDestination.get(sign.destination) ?? [];
    return !all.some((other) => other.queue !== sign.queue && hasFailedAt(other, at));
  };
  const ofQueue = new Set<Sign<Queue>>();
  for (const its of groupBy(named, ({ queue }) => queue).values()) {
    if (destinationsOf(its) < MANY) continue;
    for (const at of new Set(its.map(beginning))) {
      const together = its.filter((sign) => hasFailedAt(sign, at) && isOwn(sign, at));
      if (destinationsOf(together) >= MANY) for (const sign of together) ofQueue.add(sign);
    }
  }
  return (sign) =>
    sign.destination === undefined || ofQueue.has(sign)
      ? `queue ${sign.queue.stats.queue}`
      : `destination ${sign.destination}`;
}

function destinationsOf(signs: readonly Sign<unknown>[]): number {
  return new Set(signs.map(({ destination }) => destination)).size;
}

/** The time at which it began to fail. One that is not known lies before all others. */
function beginning({ since = Number.NEGATIVE_INFINITY }: Sign<unknown>): number {
  return since;
}

function hasFailedAt(sign: Sign<unknown>, at: number): boolean {
  return beginning(sign) <= at && at <= (sign.endedAt ?? Number.POSITIVE_INFINITY);
}
