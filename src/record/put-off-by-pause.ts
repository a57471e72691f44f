import { toIso } from '../support/clock.js';
import { arrivalOf, type RecordChange, type SettleContext, waitUntil } from './change.js';
import { KEY_PAUSED } from './not-before.js';
import type { BacklogRecord } from './record.js';

const SECOND_MS = 1000;

/**
 * Puts a record off, as its key is paused: no attempt, and no failure. It is due at that time under either retry mode, so the index does
 * not name it before. The next outcome removes the mark.
 */
export function putOffByPause(record: BacklogRecord, until: number, context: SettleContext): RecordChange {
  // A whole second: others mean a wait that is kept to the second.
  const end = Math.ceil(until / SECOND_MS) * SECOND_MS;
  const { set, remove } = waitUntil({ ...record, notBefore: undefined }, end, context);
  const notBefore = { until: toIso(end), lane: KEY_PAUSED };
  return { set: { ...arrivalOf(record), ...set, dueAt: toIso(end), notBefore }, remove };
}

/** Tells whether a record waits as its key is paused, or was when a run came to it. */
export function isPutOffByPause({ notBefore, dueAt }: BacklogRecord, now: number): boolean {
  return (
    typeof notBefore === 'object' &&
    notBefore.lane === KEY_PAUSED &&
    notBefore.until === dueAt &&
    Date.parse(notBefore.until) > now
  );
}
