import { type BacklogRecord, isPending, isUnwanted } from '../record/index.js';
import type { Clock } from '../support/clock.js';
import { type Place, placeOf } from './names.js';
import { isAt } from './rules.js';
import type { LineChange } from './take-turns.js';

/** A change of the table of records. */
export interface Versions {
  readonly id: string;
  /** Undefined: it was not there, or cannot be read. */
  readonly before: BacklogRecord | undefined;
  /** Undefined: it is gone, or cannot be read. */
  readonly after: BacklogRecord | undefined;
}

/**
 * The changes of lines by a change of the table: of the line that the record is in, and of the one that it has left.
 *
 * @param isOrdered tells whether a queue has order
 */
export function lineChangesOf(
  { id, before, after }: Versions,
  isOrdered: (queue: string) => boolean,
  clock: Pick<Clock, 'now'>,
): LineChange[] {
  const placeIn = (record: BacklogRecord | undefined): Place | undefined => {
    const place = record && placeOf(record);
    return place && isOrdered(place.queue) ? place : undefined;
  };
  const [left, now] = [placeIn(before), placeIn(after)];
  const changes: LineChange[] = [];
  if (left && !(after && isAt(left, after))) {
    const goesOn = isHeld(before, clock.now());
    changes.push({ id, place: left, record: undefined, goesOn });
  }
  if (now) changes.push({ id, place: now, record: after, isOwnEnd: isOwnEnd(before, after) });
  return changes;
}

/**
 * Tells whether a run has written the end of the record, and so makes no attempt of it any more. What operators and producers write is
 * a reason of their own, or leaves `rev` as it was.
 */
function isOwnEnd(before: BacklogRecord | undefined, after: BacklogRecord | undefined): boolean {
  if (!after || isPending(after) || after.rev === undefined || after.rev === before?.rev) return false;
  return !isUnwanted(after) || after.attempts > (before?.attempts ?? after.attempts);
}

/** Tells whether the process of a long attempt has said that it goes on. */
function isHeld(record: BacklogRecord | undefined, now: number): boolean {
  const { notBefore } = record ?? {};
  return typeof notBefore === 'object' && !notBefore.pending && Date.parse(notBefore.until) > now;
}
