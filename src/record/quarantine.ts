import { toIso } from '../support/clock.js';
import { arrivalOf, type RecordChange } from './change.js';
import { shortReason } from './history.js';
import { deadLane, ownLaneOf } from './lanes.js';
import { type BacklogRecord, isNewer, RECORD_FORMAT } from './record.js';

/** The start of a quarantined record's `deadReason`. */
const QUARANTINED = 'quarantined: ';
const TOO_LARGE = `${QUARANTINED}too large`;

/** The reason why this code cannot handle a record that waits; undefined: it can. */
export function whyUnfit(record: BacklogRecord): string | undefined {
  if (isNewer(record)) {
    return (
      `backlogFormat ${record.format} is newer than ${RECORD_FORMAT}, which this version knows: ` +
      'deploy the newer version, then redrive it'
    );
  }
  return record.isFull ? 'its item is too large: the outcome of an attempt would have no room' : undefined;
}

/**
 * Quarantines a record that cannot be handled: it is dead, with the reason, among the dead of its queue. Its
 * payload, its history and its producer's attributes stay as they are. Operators list, show, redrive and discard it as
 * any other dead record; redriven without a change of its content it is quarantined again.
 *
 * @param why in a few words, for people; a text of the record itself does not belong into it
 * @param now epoch milliseconds
 * @param shards of its queue; a record in one of its lanes dies in that one
 */
export function quarantine(record: BacklogRecord, why: string, now: number, shards = 1): RecordChange {
  return {
    set: {
      ...arrivalOf(record),
      status: 'DEAD',
      lane: deadLane(ownLaneOf(record, shards)),
      dueAt: toIso(now),
      deadReason: shortReason(QUARANTINED + why),
    },
    remove: ['notBefore', 'unknownTaskSince', 'expiresAt'],
  };
}

/** Tells whether a change is a quarantine. */
export function isQuarantine({ set: { deadReason } }: RecordChange): boolean {
  return deadReason?.startsWith(QUARANTINED) === true;
}

export function isQuarantined({ status, deadReason }: BacklogRecord): boolean {
  return status === 'DEAD' && deadReason?.startsWith(QUARANTINED) === true;
}

/**
 * Smaller changes for an item that has no room for that one, in the order in which to try them. They come without history and
 * newest error, with a shorter reason, with none, and with only the index keys removed. The last one always fits where there
 * are index keys. Its place among the dead comes before its reason: there a person finds it.
 */
export function smallerQuarantines({ set, remove }: RecordChange): RecordChange[] {
  const { status = 'DEAD', lane, dueAt, deadReason: _, ...rest } = set;
  const place = { status, ...(lane && { lane }), ...(dueAt && { dueAt }) };
  const dropped = [...remove, 'history', 'lastError', 'deadReason'] as const;
  const bare = [...new Set([...dropped, 'lane', 'dueAt'] as const)];
  return [
    { set, remove: dropped.filter((name) => name !== 'deadReason') },
    { set: { ...rest, ...place, deadReason: TOO_LARGE }, remove: dropped },
    { set: place, remove: dropped },
    { set: { status, deadReason: TOO_LARGE }, remove: bare },
    { set: { status }, remove: bare },
    { set: {}, remove: bare },
  ];
}
