import type { BacklogRecord, Status } from 'dynamo-backlog';
import { COUNT_SIGNS, leastExact, type OverviewStats } from 'dynamo-backlog/overview';
import type { RuntimeStatus } from '../../local/status/status.js';

/** A number of records, with the sign that says how exact it is. */
export interface SignedCount {
  /** Undefined: not known. */
  readonly of: number | undefined;
  readonly sign?: string | undefined;
}

/** Gives the number of records in any of these states. */
export type StateCounts = (statuses: readonly Status[]) => SignedCount;

const NOT_KNOWN: SignedCount = { of: undefined };

/**
 * Counts by state, as the overview has them. Finished records are counted by a local runtime alone, and new ones apart
 * from those in retry only as the monitor has noted.
 *
 * @param queues of the filter; empty: nothing is known of them
 * @param known what a local runtime has counted
 */
export function countsOf(queues: readonly OverviewStats[], known?: RuntimeStatus['queues']): StateCounts {
  const signOf = (all: readonly OverviewStats[]) => COUNT_SIGNS[leastExact(all)];
  const sum = (numberOf: (queue: OverviewStats) => number | undefined): number | undefined =>
    queues.reduce<number | undefined>((total, queue) => {
      const number = numberOf(queue);
      return total === undefined || number === undefined ? undefined : total + number;
    }, 0);
  const ownOf = ({ queue }: OverviewStats) => known?.find(({ name }) => name === queue);
  const part = (numberOf: (queue: OverviewStats) => number | undefined): SignedCount => {
    const of = sum((queue) => (queue.pending === 0 ? 0 : numberOf(queue)));
    return { of, sign: known || of === 0 ? '' : COUNT_SIGNS.about };
  };
  return (statuses) => {
    const has = (status: Status) => statuses.includes(status);
    if (queues.length === 0) return NOT_KNOWN;
    if (has('SUCCESS')) return { of: known && sum((queue) => ownOf(queue)?.SUCCESS) };
    const dead = has('DEAD') ? sum((queue) => queue.dead) : 0;
    if (has('NEW') === has('ERROR')) {
      const of = (sum((queue) => (has('NEW') ? queue.pending : 0)) ?? 0) + (dead ?? 0);
      return { of, sign: signOf(queues) };
    }
    if (has('DEAD')) return NOT_KNOWN;
    const inRetry = (queue: OverviewStats) => ownOf(queue)?.ERROR ?? queue.inRetry;
    if (has('ERROR')) return part(inRetry);
    return part((queue) => {
      const failed = inRetry(queue);
      const isKnown = failed !== undefined && queue.counted !== 'atLeast';
      return isKnown ? Math.max(0, queue.pending - failed) : undefined;
    });
  };
}

/** Counts by state of records that are all at hand. */
export function countsAmong(records: readonly BacklogRecord[]): StateCounts {
  return (statuses) => ({ of: records.filter(({ status }) => statuses.includes(status)).length });
}
