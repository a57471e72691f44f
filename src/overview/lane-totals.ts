import type { OverviewStats } from './queue-counts.js';

/** The number of records of a lane, and its exactness. */
export interface LaneTotal {
  /** The lane. */
  readonly lane: string;
  /** The number of its records in the index. */
  readonly total: number;
  /** The exactness of that number. */
  readonly counted: OverviewStats['counted'];
}

/**
 * The lanes of a queue that hold records. What the look at the queue has read completely is exact; the other lanes share the rest of the
 * queue's total equally, each beside what was read of it.
 *
 * @param total of all these lanes together, with its exactness
 */
export function laneTotals(
  lanes: readonly string[],
  { total, counted }: Omit<LaneTotal, 'lane'>,
  beginnings: NonNullable<OverviewStats['beginnings']>,
): LaneTotal[] {
  const all = lanes.map((lane) => ({ lane, ...(beginnings.get(lane) ?? { entries: 0, more: false }) }));
  const seen = all.reduce((sum, { entries }) => sum + entries, 0);
  const open = all.filter(({ more }) => more).map(({ lane }) => lane);
  const unseen = Math.max(0, total - seen);
  const shareOf = (lane: string) => Math.floor((unseen + open.indexOf(lane)) / open.length);
  return all
    .map(
      ({ lane, entries, more }): LaneTotal =>
        more ? { lane, total: entries + shareOf(lane), counted } : { lane, total: entries, counted: 'exact' },
    )
    .filter((one) => one.total > 0);
}
