import { toIso } from '../clock.js';
import { arrivalOf, type RecordChange, type SettleContext, waitUntil } from './change.js';
import type { BacklogRecord } from './record.js';

/**
 * A long attempt goes on: the record itself says so, and is not due before that time. Neither lease nor journal names it
 * any more. Its process writes this again and again; if it is lost, the record comes due.
 */
export function holdForAttempt(record: BacklogRecord, until: number, context: SettleContext): RecordChange {
  const { set, remove } = waitUntil(record, until, context);
  return { set: { ...arrivalOf(record), ...set, underAttemptUntil: toIso(until) }, remove };
}

/** Whether a process has said that it attempts the record at this moment (the backlog's time). */
export function isUnderAttempt({ underAttemptUntil }: BacklogRecord, now: number): boolean {
  return underAttemptUntil !== undefined && Date.parse(underAttemptUntil) > now;
}
