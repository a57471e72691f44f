import { toIso } from '../support/clock.js';
import { arrivalOf, type RecordChange, type SettleContext, waitUntil } from './change.js';
import { CLOCK_TOLERANCE_MS } from './parse.js';
import { type BacklogRecord, isPending } from './record.js';

/** Real time for which a process says that an attempt goes on: a lease, and the difference of two clocks. */
export const HOLD_MS = 75_000;

/**
 * A long attempt goes on: the record itself says so, and is not due before that time. Neither lease nor journal names it
 * any more. Its process writes this again and again; if it is lost, the record comes due.
 */
export function holdForAttempt(record: BacklogRecord, until: number, context: SettleContext): RecordChange {
  const { set, remove } = waitUntil(record, until, context);
  return { set: { ...arrivalOf(record), ...set, underAttemptUntil: toIso(until) }, remove };
}

/** The attempt is over without an outcome: due at once, unless a producer or an operator has put the record off since. */
export function endHold(record: BacklogRecord, context: SettleContext): RecordChange {
  const { set, remove } = isPutOffByHold(record)
    ? waitUntil(record, context.now, context)
    : { set: {}, remove: [] };
  return { set, remove: [...remove, 'underAttemptUntil'] };
}

/**
 * Whether a process has said that it attempts the record at this moment. A producer may have written the attribute: no
 * process says it of a record that the library has not written, or that is not in the index, or for longer than
 * `HOLD_MS`. So what is made up delays a record by minutes at most.
 *
 * @param now the backlog's time
 * @param speed how many seconds of it pass in a real one
 */
export function isUnderAttempt(record: BacklogRecord, now: number, speed = 1): boolean {
  const { underAttemptUntil, lane, rev } = record;
  if (underAttemptUntil === undefined || lane === undefined || rev === undefined) return false;
  const leftMs = Date.parse(underAttemptUntil) - now;
  return isPending(record) && leftMs > 0 && leftMs <= HOLD_MS * speed + CLOCK_TOLERANCE_MS;
}

/**
 * Whether the process that attempted it was lost: it would have said so again, or written the outcome. The write that said
 * so has put off the record for as long. A record that was put off differently since, or never, is not counted as a failure.
 */
export function wasLostUnderAttempt(record: BacklogRecord, now: number): boolean {
  const { underAttemptUntil, rev } = record;
  if (underAttemptUntil === undefined || rev === undefined) return false;
  return isPutOffByHold(record) && Date.parse(underAttemptUntil) <= now;
}

function isPutOffByHold({ underAttemptUntil, dueAt, notBefore }: BacklogRecord): boolean {
  return underAttemptUntil === dueAt || underAttemptUntil === notBefore;
}
