import { toIso } from '../support/clock.js';
import type { RecordChange } from './change.js';
import { DEAD_LANE_ENDING, deadLane, ownLaneOf } from './lanes.js';
import { quarantine, whyUnfit } from './quarantine.js';
import { type BacklogRecord, bornAt, isNotIndexed, isPending } from './record.js';

/**
 * Tells whether no rule will ever find it: it has no `lane`, or no `dueAt`, or is among the dead and was made pending again
 * by hand.
 */
export function isMisindexed(record: BacklogRecord): boolean {
  return isNotIndexed(record) || isHalfIndexed(record) || isRevived(record);
}

/** Tells whether it has a lane without a due time, so that the index leaves it out. An unreadable time is in the index. */
function isHalfIndexed(record: BacklogRecord): boolean {
  const { status, lane, dueAt, problems } = record;
  const isUnreadable = problems.some((problem) => problem.startsWith('dueAt:'));
  const isHalf = lane !== undefined && dueAt === undefined && !isUnreadable;
  return isHalf && status !== 'SUCCESS';
}

/** Tells whether it is pending in the lane of the dead. */
export function isRevived(record: BacklogRecord): boolean {
  return isPending(record) && record.lane?.endsWith(DEAD_LANE_ENDING) === true;
}

/**
 * Indexes a record, under either retry mode: due since it became available.
 *
 * - Attributes of the contract that could not be read are written with their defaults, so that people and tools see what
 *   the library goes by.
 * - A record that was put as `DEAD` is listed with the other dead ones.
 * - A record that this code cannot handle is quarantined.
 * - A dead record that is pending again begins again, at this moment.
 * - `expiresAt` is removed: a record that was finished, and set to `NEW` again, would expire.
 *
 * @param now epoch milliseconds
 * @param shards of its queue. A record that is in one of its lanes already stays there: runs come to all of them
 */
export function indexChange(record: BacklogRecord, now: number, shards = 1): RecordChange {
  const why = isPending(record) ? whyUnfit(record) : undefined;
  if (why !== undefined) return quarantine(record, why, now, shards);
  const lane = ownLaneOf(record, shards);
  const repaired = record.problems.length > 0 ? { status: record.status, queue: record.queue } : {};
  const contract = { ...repaired, insertedAt: record.insertedAt };
  if (!isPending(record)) {
    return { set: { ...contract, lane: deadLane(lane), dueAt: toIso(now) }, remove: ['expiresAt'] };
  }
  if (!isRevived(record)) {
    return { set: { ...contract, lane, dueAt: toIso(bornAt(record)) }, remove: ['expiresAt'] };
  }
  const { set, remove } = restart(lane, now);
  return { set: { ...contract, ...set }, remove };
}

/**
 * The change that makes a dead record pending again, beside its status: due now, no failure counted. Its attempts and its
 * history stay.
 */
export function restart(lane: string, now: number): RecordChange {
  return {
    set: { availableAt: toIso(now), lane, dueAt: toIso(now) },
    remove: [
      'expiresAt',
      'deadReason',
      'notBefore',
      'unknownTaskSince',
      'failures',
      'notReady',
      'firstFailureAt',
      'lastFailureAt',
    ],
  };
}
