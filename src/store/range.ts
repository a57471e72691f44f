import { toIso } from '../support/clock.js';
import type { DueQuery, IndexKey } from './store.js';

/** A range of the index in its own terms: ISO-8601 times, both inclusive. */
export interface DueRange {
  readonly from: string | undefined;
  readonly until: string;
  readonly after: IndexKey | undefined;
}

/**
 * DynamoDB refuses a place to continue from that is outside the range, and a range that ends before it begins. Both
 * happen: an age band moves on while a cursor waits. A place before the range means "from its start", one behind it
 * means that nothing is left (`undefined`).
 */
export function clampToRange(query: DueQuery): DueRange | undefined {
  const from = query.from === undefined ? undefined : toIso(query.from);
  const until = toIso(query.until);
  if (from !== undefined && from > until) return undefined;
  const { after } = query;
  if (!after) return { from, until, after: undefined };
  const tooOld = from !== undefined && after.dueAt < from;
  const tooNew = after.dueAt > until;
  if (!tooOld && !tooNew) return { from, until, after };
  const beforeTheStart = query.order === 'oldestFirst' ? tooOld : tooNew;
  return beforeTheStart ? { from, until, after: undefined } : undefined;
}
