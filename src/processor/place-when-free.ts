import type { BacklogRecord } from '../record/index.js';
import { isMisplaced } from '../record/index.js';
import { type Placed, type PlacingParts, placeAll } from './placing.js';

/** Records that may still be under attempt by a run that was given them when they came. */
export interface Returned {
  readonly ids: readonly string[];
  /**
   * The batches of arrivals that must be over before the records may be given their place. Undefined: all that are under
   * attempt now.
   */
  readonly after?: readonly string[] | undefined;
}

export interface PlacedWhenFree extends Placed {
  /** Who must be asked for again later; undefined if nobody. */
  readonly waiting: Required<Returned> | undefined;
}

/**
 * Gives records their place in the index, once no run can be attempting them without it: a record that were placed
 * meanwhile would be attempted by a rule at the same time.
 *
 * @throws StoreError that is not of one record alone; may be repeated
 */
export async function placeWhenFree({ ids, after }: Returned, parts: PlacingParts): Promise<PlacedWhenFree> {
  const { store, clock } = parts;
  const records = await store.readRecords(ids);
  const misplaced = records.filter(isMisplaced);
  const blockers = new Map<string, readonly string[]>();
  for (const queue of new Set(misplaced.map((record) => record.queue))) {
    const claimed = await store.claimedArrivals(queue, clock.wall());
    blockers.set(queue, after ? claimed.filter((batch) => after.includes(batch)) : claimed);
  }
  const isFree = ({ queue }: BacklogRecord) => (blockers.get(queue) ?? []).length === 0;
  const busy = misplaced.filter((record) => !isFree(record));
  const gone = new Set(ids).size - misplaced.length;
  const placed = await placeAll(misplaced.filter(isFree), gone, parts);
  const waiting =
    busy.length === 0 ? undefined : { ids: busy.map(({ id }) => id), after: [...blockers.values()].flat() };
  return { ...placed, waiting };
}
