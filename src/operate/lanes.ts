import { deadLane, lanesOf, type Status } from '../record/index.js';

/** The lanes of those that are given up, of any number of shards. */
export function deadLanesOf(queue: string): readonly string[] {
  return lanesOf(queue).map(deadLane);
}

/**
 * The lanes that hold all indexed records of these statuses of a queue; undefined if only the whole table does.
 */
export function lanesHolding(
  queue: string | undefined,
  statuses: readonly Status[],
): readonly string[] | undefined {
  if (queue === undefined || statuses.includes('SUCCESS')) return undefined;
  const waiting = statuses.some((status) => status !== 'DEAD') ? lanesOf(queue) : [];
  return [...waiting, ...(statuses.includes('DEAD') ? deadLanesOf(queue) : [])];
}
