import { CLOCK_TOLERANCE_MS, parseIso, toIso } from '../support/clock.js';
import { arrivalOf, type RecordChange, type SettleContext, waitUntil } from './change.js';
import { truncate } from './history.js';
import { laneOf } from './lanes.js';
import { type BacklogRecord, isPending } from './record.js';

/**
 * The attribute `notBefore`: why a record must not be attempted yet, and until when.
 *
 * | it is | because | written by | gone with |
 * |---|---|---|---|
 * | a time | a `Retry-After`, a `Snooze` or an operator asked for that wait | runs and operators | the next outcome |
 * | a map `{ until }` | a long attempt is under way, as its process says | that process | its outcome |
 * | a map `{ until, cancel }` | that attempt is to end, for this reason | operators and producers, once that process | its outcome |
 * | a map `{ until, lane }` | an operator took it out of that lane, where a run may be attempting it | operators | the next outcome, or a redrive |
 * | a map `{ until, pending }` | the attempt has ended as `Pending`: its end comes from outside | runs | its outcome |
 * | a map `{ until, lane: '#paused' }` | its key is paused; it is due at that time, and in no other lane | runs | the next outcome |
 */
export type NotBefore = NonNullable<BacklogRecord['notBefore']>;

/** Real time for which a process says that an attempt goes on: a lease, and the difference of two clocks. */
export const HOLD_MS = 75_000;
/** Real time after which a run's attempt in a lane that the record has left is over: no function of Lambda's lives longer. */
export const MAX_RUN_MS = 15 * 60_000;

/** The `lane` of a record that waits as its key is paused. No lane has this name. */
export const KEY_PAUSED = '#paused';

/** The longest reason that is kept: a `deadReason` has room for it. */
const MAX_CANCEL_BYTES = 180;

type OfRecord = Pick<BacklogRecord, 'notBefore'>;

/** Reads the attribute. Undefined: it is no such thing. */
export function parseNotBefore(value: unknown): NotBefore | undefined {
  const { until, lane, cancel, pending } = (typeof value === 'object' ? value : {}) as Readonly<
    Record<string, unknown>
  >;
  const [wait, end] = [parseIso(value), parseIso(until)];
  if (wait !== undefined) return wait;
  if (end === undefined) return undefined;
  if (pending) return { until: end, pending };
  if (cancel === undefined && lane === undefined) return { until: end };
  if (typeof cancel === 'string' && lane === undefined) return { until: end, cancel };
  return typeof lane === 'string' && cancel === undefined ? { until: end, lane } : undefined;
}

/** The end of a wait that was asked for, epoch milliseconds; minus infinity: none was. */
export function waitOf({ notBefore }: OfRecord): number {
  return typeof notBefore === 'string' ? Date.parse(notBefore) : Number.NEGATIVE_INFINITY;
}

/** The end of the hold that the process of a long attempt has written, ISO-8601. */
export function holdOf({ notBefore }: OfRecord): string | undefined {
  return typeof notBefore === 'object' && notBefore.lane === undefined && !notBefore.pending
    ? notBefore.until
    : undefined;
}

/** The reason for which a long attempt was asked to end. Undefined: it was not. */
export function cancelReasonOf({ notBefore }: OfRecord): string | undefined {
  return typeof notBefore === 'object' ? notBefore.cancel : undefined;
}

/** The mark of a record whose long attempt is to end: its hold goes on meanwhile. The first reason stays. */
export function cancelMark(
  record: OfRecord,
  reason: string,
): { readonly until: string; readonly cancel: string } {
  return {
    until: holdOf(record) ?? '',
    cancel: cancelReasonOf(record) ?? truncate(reason, MAX_CANCEL_BYTES),
  };
}

/** The end of either of them, ISO-8601. A record that has left its lane has that as its due time. */
export function restOf(record: OfRecord): string | undefined {
  return typeof record.notBefore === 'string' ? record.notBefore : holdOf(record);
}

/** The lane that an operator has taken the record out of, while a run may still be attempting it there. */
export function previousLaneOf({ notBefore }: OfRecord, now: number): string | undefined {
  const { until, lane } = typeof notBefore === 'object' ? notBefore : {};
  return lane !== KEY_PAUSED && Date.parse(until ?? '') > now ? lane : undefined;
}

/**
 * Tells whether an attempt of a record that waits may be under way: then no run begins another one. Any producer may have
 * written the attribute. So it is ignored on a record that the library has not written, or that is not in the index, and
 * if it lasts longer than a process or an operator would say. A false one delays a record by minutes at most.
 *
 * @param now the backlog's time
 * @param speed seconds of it in a real second
 */
export function mayBeUnderAttempt(record: BacklogRecord, now: number, speed = 1): boolean {
  const { notBefore, lane, rev } = record;
  if (typeof notBefore !== 'object' || notBefore.pending || lane === undefined || rev === undefined)
    return false;
  const leftMs = Date.parse(notBefore.until) - now;
  const longestMs = (notBefore.lane === undefined ? HOLD_MS : MAX_RUN_MS) * speed;
  return isPending(record) && leftMs > 0 && leftMs <= longestMs + CLOCK_TOLERANCE_MS;
}

/** Tells whether a process has said that it attempts the record at this moment. */
export function isUnderAttempt(record: BacklogRecord, now: number, speed?: number): boolean {
  return holdOf(record) !== undefined && mayBeUnderAttempt(record, now, speed);
}

/**
 * Tells whether the process that attempted it was lost: it has neither renewed its hold nor written an outcome. A record
 * that was put off differently since is not counted as a failure, unless it was to be cancelled.
 *
 * @param isByAge its due time is its age, as in a progressive queue
 */
export function wasLostUnderAttempt(record: BacklogRecord, isByAge: boolean, now: number): boolean {
  const until = holdOf(record);
  if (until === undefined || record.rev === undefined) return false;
  const isOver = Date.parse(until) <= now;
  // One that was to be cancelled is not attempted, whatever its due time is by now.
  return isOver && (isPutOffByHold(record, isByAge) || cancelReasonOf(record) !== undefined);
}

/** Tells whether the hold still puts it off. On a queue that retries by due time, it is then due at the end of the hold. */
function isPutOffByHold(record: BacklogRecord, isByAge: boolean): boolean {
  return isByAge || holdOf(record) === record.dueAt;
}

/**
 * Marks a record whose long attempt goes on: it is not due before that time. Neither lease nor journal names it any more.
 * Its process writes this again and again; if it is lost, the record comes due.
 *
 * @param cancel the reason for which the attempt was asked to end. Default: it was not
 */
export function holdForAttempt(
  record: BacklogRecord,
  until: number,
  context: SettleContext,
  cancel?: string,
): RecordChange {
  const { set, remove } = waitUntil({ ...record, notBefore: undefined }, until, context);
  const notBefore = { until: toIso(until), ...(cancel !== undefined && { cancel }) };
  return { set: { ...arrivalOf(record), ...set, notBefore }, remove };
}

/** Ends the hold without an outcome: due at once, unless a producer or an operator has put the record off since. */
export function endHold(record: BacklogRecord, context: SettleContext): RecordChange {
  if (!isPutOffByHold(record, context.retryMode === 'progressive')) return { set: {}, remove: ['notBefore'] };
  return waitUntil(record, context.now, context);
}

/** The backlog's time at which every attempt that a run has under way now is over. */
export function allOverAt(now: number, speed = 1): number {
  return now + MAX_RUN_MS * speed;
}

/** The mark of a record that an operator takes out of its lane, where a run may be attempting it until `allOverAt`. */
export function leftLane({ lane, queue }: BacklogRecord, until: number): NotBefore {
  return { until: toIso(until), lane: lane ?? laneOf(queue) };
}
