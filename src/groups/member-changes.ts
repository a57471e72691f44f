import { type BacklogRecord, isPending, isUnwanted } from '../record/index.js';
import { MEMBER_ATTRIBUTE, memberText, type Place, placeOf } from './names.js';
import type { MemberState } from './page.js';

/** The state that a member has by a change of its record. */
export interface MemberChange {
  readonly place: Place;
  readonly state: MemberState;
  /** The record's id. */
  readonly id: string;
}

/** A change of the table of records. */
export interface RecordVersions {
  /** The record before. Undefined: it was not there, or cannot be read. */
  readonly before: BacklogRecord | undefined;
  /** The record after. Undefined: it is gone, or cannot be read. */
  readonly after: BacklogRecord | undefined;
}

/**
 * The states of members by a change of the table. A record that is replaced by one that is not the same member is `removed`; one
 * that had ended before keeps its end.
 */
export function memberChanges({ before, after }: RecordVersions): MemberChange[] {
  const [left, now] = [changeOf(before), changeOf(after)];
  const isSame = left !== undefined && now !== undefined && memberText(left.place) === memberText(now.place);
  const goes =
    left && !isSame ? [left.state === 'waiting' ? { ...left, state: 'removed' as const } : left] : [];
  return [...goes, ...(now ? [now] : [])];
}

/** The place and the state of a record as it is. Undefined: it is no member of a group. */
export function changeOf(record: BacklogRecord | undefined): MemberChange | undefined {
  const place = record && placeOf(record.attributes[MEMBER_ATTRIBUTE]);
  return place && { place, state: stateOf(record), id: record.id };
}

function stateOf(record: BacklogRecord): MemberState {
  if (isPending(record)) return 'waiting';
  if (record.status === 'SUCCESS') return 'succeeded';
  return isUnwanted(record) ? 'cancelled' : 'dead';
}
