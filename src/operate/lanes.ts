import { deadLane, lanesOf, type Status } from '../record/index.js';

/** The lanes of those that are given up, of all the shards that a queue may have, or have had. */
export function deadLanesOf(queue: string): readonly string[] {
  return lanesOf(queue).map(deadLane);
}

/**
 * The lanes that hold all records of these statuses of a queue, but for those that have no place; undefined if only the
 * whole table does.
 */
export function lanesHolding(
  queue: string | undefined,
  statuses: readonly Status[],
): readonly string[] | undefined {
  if (queue === undefined || statuses.includes('SUCCESS')) return undefined;
  const waiting = statuses.some((status) => status !== 'DEAD') ? lanesOf(queue) : [];
  return [...waiting, ...(statuses.includes('DEAD') ? deadLanesOf(queue) : [])];
}

/** Whether a lease, by its key, is for records of that lane: of the lane, of one of its tiers, or of a shard. */
export function isLeaseOf(lane: string, key: string): boolean {
  return key === lane || key.startsWith(`${lane}#`);
}
