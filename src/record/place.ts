import { toIso } from '../clock.js';
import { type BacklogRecord, bornAt, deadLane, isPending, laneOf } from './record.js';
import type { RecordChange } from './settle.js';

/** Somebody put it without `lane`: no rule will ever find it. */
export function isUnplaced(record: BacklogRecord): boolean {
  return record.lane === undefined && record.status !== 'SUCCESS';
}

/**
 * Gives a record its place in the index, under either way of retrying: due since it became available. What could not
 * be read of the contract is written anew, so that people and tools see what is gone by. One that was put as `DEAD`
 * is listed with the others. Nobody who waits expires: one that was finished, and set to `NEW` again, would.
 *
 * @param now epoch milliseconds
 */
export function place(record: BacklogRecord, now: number): RecordChange {
  const lane = laneOf(record.queue);
  const repaired = record.problems.length > 0 ? { status: record.status, queue: record.queue } : {};
  const where = isPending(record)
    ? { lane, dueAt: toIso(bornAt(record)) }
    : { lane: deadLane(lane), dueAt: toIso(now) };
  return { set: { ...repaired, insertedAt: record.insertedAt, ...where }, remove: ['expiresAt'] };
}
