import { decideRetry, type ResolvedPolicy, type TierBand } from '../policies/index.js';
import { toIso } from '../support/clock.js';
import type { RecordChange } from './change.js';
import { isLaneOf } from './lanes.js';
import { endOfRest } from './last-turn.js';
import { mayBeUnderAttempt, waitOf, wasLostUnderAttempt } from './not-before.js';
import { firstTryAt, policyOf, triesOf } from './policy-of.js';
import { whyUnfit } from './quarantine.js';
import { type BacklogRecord, bornAt, DEFAULT_QUEUE, isPending } from './record.js';
import { wasNotReady } from './snooze.js';
import { moveToOwnLane } from './wrong-lane.js';

/** The decision of a run about a record that its page named, after the record itself has been read. */
export type Verdict =
  | { readonly do: 'attempt' }
  /** Its attempt has an end that this run writes: from outside, or as the process that attempted it was lost. */
  | { readonly do: 'lost' }
  /** Too old and attempted before: give it up. */
  | { readonly do: 'expire' }
  /** Quarantine it, as this code cannot handle it. */
  | { readonly do: 'quarantine'; readonly why: string }
  /** Correct it, as it does not belong where the index has it. */
  | { readonly do: 'correct'; readonly change: RecordChange }
  /** Give it another due time, so that the index does not name it before its time. */
  | { readonly do: 'reschedule'; readonly dueAt: number }
  /** Leave it: the index will not name it any more, or not before its time. */
  | { readonly do: 'skip'; readonly reason: 'notPending' | 'moved' | 'notDue' | 'attemptedRecently' };

/**
 * A record that must not be attempted yet keeps its due time in an index of ages, and each turn reads it. For more turns
 * than this, two changes of its due time cost less than its reads.
 */
const MAX_HELD_TURNS = 40;

export interface DueContext {
  readonly lane: string;
  /** The due time that the index has of it, as the index has it; absent where the index did not name the record. */
  readonly indexedDueAt?: string | undefined;
  /** The rule's age band; absent on a queue that retries per record. */
  readonly band?: TierBand | undefined;
  readonly policy: ResolvedPolicy;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Seconds of the backlog's time in a real second. Default: 1. */
  readonly speed?: number | undefined;
  readonly tickSeconds: number;
  /** Tells whether the attempt of a record has an end from outside. Default: none of them has. */
  readonly hasOutsideEnd?: ((record: BacklogRecord, now: number) => boolean) | undefined;
}

/**
 * The page was read from an index that is eventually consistent, and before the lease was taken: the record itself
 * says whether it is still its turn.
 *
 * Every page is read at every poll, and paid for. So no record is skipped that stays in it: what the index would name
 * again and again is changed, by one write, so that it does not.
 */
export function judge(record: BacklogRecord, context: DueContext): Verdict {
  if (record.lane !== context.lane) {
    return { do: 'skip', reason: isPending(record) ? 'moved' : 'notPending' };
  }
  if (record.status === 'SUCCESS') {
    return { do: 'correct', change: { set: {}, remove: ['lane', 'dueAt', 'notBefore'] } };
  }
  if (!isPending(record) || !isOfItsQueue(record)) {
    return { do: 'correct', change: moveToOwnLane(record, context.now) };
  }
  const why = whyUnfit(record);
  if (why !== undefined) return { do: 'quarantine', why };
  if (mayBeUnderAttempt(record, context.now, context.speed)) return { do: 'skip', reason: 'notDue' };
  if (context.hasOutsideEnd?.(record, context.now)) return { do: 'lost' };
  if (wasLostUnderAttempt(record, context.band !== undefined, context.now)) return { do: 'lost' };
  const verdict = context.band ? judgeByAge(record, context.band, context) : judgeByDueTime(record, context);
  return verdict.do === 'skip' && isMisfiled(record, context)
    ? { do: 'reschedule', dueAt: Date.parse(record.dueAt ?? record.insertedAt) }
    : verdict;
}

/** Tells whether it belongs to the queue of its lane. So does a record that names no queue. */
function isOfItsQueue({ lane = '', queue }: BacklogRecord): boolean {
  return isLaneOf(lane, queue) || queue === DEFAULT_QUEUE;
}

/** Tells whether the index has its due time in another form than the library's, so that it may be sorted wrongly. */
function isMisfiled({ dueAt }: BacklogRecord, { indexedDueAt }: DueContext): boolean {
  return indexedDueAt !== undefined && indexedDueAt !== dueAt && !isCanonical(indexedDueAt);
}

function isCanonical(time: string): boolean {
  const ms = Date.parse(time);
  return !Number.isNaN(ms) && toIso(ms) === time;
}

function judgeByDueTime(record: BacklogRecord, context: DueContext): Verdict {
  const { now } = context;
  const dueAt = Date.parse(record.dueAt ?? record.insertedAt);
  if (dueAt > now) return { do: 'skip', reason: 'notDue' };
  if (isExpired(record, context)) return { do: 'expire' };
  const until = cameFromProgressive(record) ? dueTimeByPolicy(record, context) : waitOf(record);
  return until > now ? { do: 'reschedule', dueAt: until } : { do: 'attempt' };
}

/** Only a progressive queue leaves the insertion time as the due time of a record that was attempted. */
function cameFromProgressive(record: BacklogRecord): boolean {
  return record.attempts > 0 && record.dueAt !== undefined && Date.parse(record.dueAt) === bornAt(record);
}

function dueTimeByPolicy(record: BacklogRecord, { policy, tickSeconds }: DueContext): number {
  const lastTryAt = lastTryOf(record);
  if (lastTryAt === undefined) return waitOf(record);
  const triedAt = Date.parse(lastTryAt);
  const decision = decideRetry(
    policyOf(record, policy),
    {
      id: record.id,
      queue: record.queue,
      failures: triesOf(record),
      firstFailureAt: firstTryAt(record),
      failedAt: triedAt,
      bornAt: bornAt(record),
    },
    tickSeconds,
    // Nothing is drawn at a poll: what chance would decide is taken in the middle.
    () => 0.5,
  );
  // A policy that would have given up already still owes the record nothing but its turn now.
  const waited = decision.retry ? decision.dueAt : triedAt;
  return Math.max(waited, waitOf(record));
}

/** The end of the attempt that the policy's wait counts from. Undefined: none failed, or the time of a snooze holds. */
function lastTryOf(record: BacklogRecord): string | undefined {
  const { lastAttemptAt, lastFailureAt, failures, notBefore } = record;
  if (wasNotReady(record)) return typeof notBefore === 'string' ? undefined : lastAttemptAt;
  return failures === 0 || wasSnoozed(record) ? undefined : lastFailureAt;
}

function judgeByAge(record: BacklogRecord, band: TierBand, context: DueContext): Verdict {
  const { now } = context;
  const born = bornAt(record);
  const age = (now - born) / 1000;
  const leftBand = age < band.fromAge || (age > band.untilAge && !band.last);
  const lastAttemptAt = record.lastAttemptAt === undefined ? undefined : Date.parse(record.lastAttemptAt);
  const halfTurnMs = (band.every * 1000) / 2;
  // A time that lies far ahead is not that of an attempt.
  const attemptedRecently = lastAttemptAt !== undefined && Math.abs(now - lastAttemptAt) < halfTurnMs;
  const notBefore = waitOf(record);
  const isNotDue = notBefore > now;
  const cameFromRetry = record.dueAt === undefined || Date.parse(record.dueAt) !== born;

  // No page names it yet, but an index that lags behind may, or the journal of a lost run.
  const stillWaits = record.dueAt !== undefined && Date.parse(record.dueAt) > now;

  if (isExpired(record, context)) return { do: 'expire' };
  if (stillWaits) return { do: 'skip', reason: 'notDue' };
  if (leftBand || attemptedRecently || isNotDue) {
    if (cameFromRetry) return { do: 'reschedule', dueAt: born };
    if (notBefore - now > MAX_HELD_TURNS * band.every * 1000) {
      return { do: 'reschedule', dueAt: notBefore };
    }
    return { do: 'skip', reason: leftBand ? 'moved' : isNotDue ? 'notDue' : 'attemptedRecently' };
  }
  return { do: 'attempt' };
}

/**
 * A record that was not attempted since it became available gets its one attempt first, however old it is; and so does one
 * that was put off past its last day by a snooze.
 */
function isExpired(record: BacklogRecord, { policy, now }: DueContext): boolean {
  const { maxAge } = policyOf(record, policy);
  const born = bornAt(record);
  const lastDay = born + maxAge * 1000;
  // The attempts of one that has come again, or was redriven, may all lie before that.
  const isUntried =
    record.attempts === 0 || (record.failures === 0 && Date.parse(record.lastAttemptAt ?? '') < born);
  const isPast = !isUntried && now > lastDay;
  return isPast && !wasPutOffPast(lastDay, record) && !wasUnknownBefore(lastDay, record);
}

/** Tells whether no handler knew its task when its last day came. Then a handler that knows it attempts it once more. */
function wasUnknownBefore(lastDay: number, { unknownTaskSince }: BacklogRecord): boolean {
  return unknownTaskSince !== undefined && Date.parse(unknownTaskSince) <= lastDay;
}

function wasPutOffPast(lastDay: number, record: BacklogRecord): boolean {
  const dueAt = record.dueAt === undefined ? 0 : Date.parse(record.dueAt);
  const lastAttemptAt = Date.parse(record.lastAttemptAt ?? '');
  return (
    wasSnoozed(record) && lastAttemptAt <= lastDay && endOfRest(lastDay) < Math.max(dueAt, waitOf(record))
  );
}

/** Tells whether its last attempt was no failure. */
function wasSnoozed({ lastAttemptAt, lastFailureAt }: BacklogRecord): boolean {
  return lastAttemptAt !== undefined && lastAttemptAt !== lastFailureAt;
}
