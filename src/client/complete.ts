import {
  type Completion,
  isOfAttempt,
  isOfWork,
  outsideWaitOf,
  parseCompletion,
  pendingEnd,
} from '../record/completion.js';
import { digest } from '../record/completion-token.js';
import { limitTexts } from '../record/history.js';
import {
  type BacklogRecord,
  type ErrorText,
  errorTextOf,
  givenResult,
  hasRoomForResult,
  isNewer,
  isPending,
  type RecordChange,
  type SettleContext,
  settle,
} from '../record/index.js';
import { isOfOneRecord } from '../store/errors.js';
import type { OperatorRecordStore } from '../store/operator-store.js';
import { type Clock, toIso } from '../support/clock.js';
import { InvalidRecordError } from '../support/errors.js';
import { type Random, randomToken } from '../support/random.js';

/** The result of `complete`, `fail` and `heartbeat`. */
export interface CompletionResult {
  /** The record's id. */
  readonly id: string;
  /** The attempt of this token has the end, or the longer wait, that was asked for: by this call, or by one like it before. */
  readonly accepted: boolean;
  /** The attempt goes on still: its end is kept, and written as the attempt settles. Absent: it has settled. */
  readonly kept?: true | undefined;
  /**
   * The reason why it was not accepted; absent if it was. `notFound`: there is no record of that id. `succeeded`, `dead`: the record has
   * ended. `oldToken`: its attempt is over, or its wait was ended, and the next attempt has another token. `endedBefore`: the other one of
   * `complete` and `fail` was called before. `workChanged`: the record was edited since, and is attempted again.
   * `changedMeanwhile`: others change it all the time. `newer`: a newer version of this library wrote it. `notWaiting`: no token was
   * given, and the record does not wait for its end from outside.
   */
  readonly reason?:
    | 'notFound'
    | 'notWaiting'
    | 'succeeded'
    | 'dead'
    | 'oldToken'
    | 'endedBefore'
    | 'workChanged'
    | 'changedMeanwhile'
    | 'newer'
    | undefined;
}

/** The end of an attempt, or another time limit for it, that is given from outside. */
export type OutsideEnd =
  | { readonly type: 'done'; readonly result?: string | undefined }
  | { readonly type: 'failed'; readonly error: ErrorText }
  /** A longer wait. Default of its seconds: the timeout of the attempt. */
  | { readonly type: 'heartbeat'; readonly seconds?: number | undefined };

export interface CompletionDeps {
  readonly records: Pick<OperatorRecordStore, 'get' | 'change' | 'note'>;
  readonly clock: Clock;
  readonly random: Random;
}

const MAX_TRIES = 4;
/** A success adds one entry to a history, however long its queue lets that be. */
const MAX_HISTORY_BYTES = 32 * 1024;

/** The answer to a call, and the write that it takes: of a change, or of a note beside the attempt. */
type Answer = Omit<CompletionResult, 'id'> & {
  readonly change?: RecordChange;
  readonly rev?: string;
  readonly note?: Completion;
};

/**
 * The end of a success.
 *
 * @throws InvalidRecordError for a result that cannot be kept
 */
export function doneWith(given: unknown): OutsideEnd {
  const { notKept, result } = { notKept: undefined, result: undefined, ...givenResult(given) };
  if (notKept !== undefined) throw new InvalidRecordError(`complete: result: ${notKept}`);
  return { type: 'done', result };
}

/** The end of a failure, by an error or its message. */
export function failedWith(error: unknown): OutsideEnd {
  const given = typeof error === 'string' ? { name: 'FailedOutside', message: error } : errorTextOf(error);
  const { name, message } = limitTexts(given);
  return { type: 'failed', error: { name: name ?? 'Error', message: message ?? '' } };
}

/**
 * Gives an attempt its end from outside. Decides again if another process was quicker.
 *
 * @param token undefined: that with which the record waits when it is read first
 */
export async function endOutside(
  id: string,
  token: string | undefined,
  end: OutsideEnd,
  { records, clock, random }: CompletionDeps,
): Promise<CompletionResult> {
  let wanted = token;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const record = await records.get(id);
    if (!record) return { id, accepted: false, reason: 'notFound' };
    wanted ??= outsideWaitOf(record)?.token;
    const { change, note, rev = randomToken(random), ...answer } = answerTo(record, wanted, end, clock.now());
    if (!change && !note) return { id, ...answer };
    const write = change ? records.change(record, change, rev) : records.note(record, { completion: note });
    const written = await write.catch((error: unknown) => {
      if (end.type !== 'failed' || !isOfOneRecord(error)) throw error;
      throw new InvalidRecordError('fail: the item of the record has no room for its error');
    });
    if (written === 'settled') return { id, ...answer };
  }
  return { id, accepted: false, reason: 'changedMeanwhile' };
}

/** The state of an attempt for the holder of its token: it can have an end, it was given one, or why it cannot. */
export type TokenState = 'open' | 'answered' | NonNullable<CompletionResult['reason']>;

/** Reads the state of an attempt from its record, and writes nothing. */
export function stateForToken(record: BacklogRecord | undefined, token: string, now: number): TokenState {
  if (!record) return 'notFound';
  const { accepted, reason, change, note } = answerTo(record, token, { type: 'done' }, now);
  if (accepted) return change || note ? 'open' : 'answered';
  return reason === 'endedBefore' || reason === undefined ? 'answered' : reason;
}

function answerTo(record: BacklogRecord, token: string | undefined, end: OutsideEnd, now: number): Answer {
  const { status, rev } = record;
  // The `rev` of an end from outside begins with its token, and that of the attempt itself is what its token was made of.
  const { id, attempts, lastAttemptAt, lastFailureAt } = record;
  const isByToken = token !== undefined && rev?.split('/')[0] === token;
  const isOfToken = isByToken || token?.startsWith(`${attempts}.${digest([rev, id, attempts], 22)}.`);
  // One that was set by hand after a failure is not of the attempt.
  const hasSucceeded = status === 'SUCCESS' && lastAttemptAt !== lastFailureAt;
  if (hasSucceeded && isOfToken && end.type === 'done') return { accepted: true };
  const hasFailed = status !== 'SUCCESS' && lastAttemptAt !== undefined && lastAttemptAt === lastFailureAt;
  if (hasFailed && isByToken && end.type === 'failed') return { accepted: true };
  if (status === 'SUCCESS') return { accepted: false, reason: 'succeeded' };
  if (!isPending(record)) return { accepted: false, reason: 'dead' };
  if (isNewer(record)) return { accepted: false, reason: 'newer' };
  if (token === undefined) return { accepted: false, reason: 'notWaiting' };
  const wait = outsideWaitOf(record);
  const isPresent = wait ? wait.token === token : isOfAttempt(record, token);
  if (!isPresent) return { accepted: false, reason: 'oldToken' };
  const given = parseCompletion(record.completion);
  if (given?.token === token) {
    const isSame = end.type === 'heartbeat' || (end.type === 'done') === (given.error === undefined);
    const kept = wait ? {} : ({ kept: true } as const);
    return isSame ? { accepted: true, ...kept } : { accepted: false, reason: 'endedBefore' };
  }
  if (end.type !== 'heartbeat' && !isOfWork(record, token)) {
    const change = { set: { dueAt: toIso(now) }, remove: ['notBefore'] } as const;
    return { accepted: false, reason: 'workChanged', ...(wait && { change }) };
  }
  if (end.type === 'heartbeat')
    return wait ? prolonged(record, end.seconds, now) : { accepted: true, kept: true };
  if (end.type === 'done' && !hasRoomForResult(record, end.result ?? ''))
    throw new InvalidRecordError('complete: the item of the record has no room for its result');
  if (!wait) return { accepted: true, kept: true, note: completionBy(token, end) };
  if (end.type === 'failed') {
    // The queue's policy is known to its runs: the next one writes the failure.
    const set = { completion: completionBy(token, end), dueAt: toIso(now) };
    return { accepted: true, change: { set, remove: [] } };
  }
  const history = { bytes: MAX_HISTORY_BYTES, entries: record.history.length + 1 };
  // A success that does not come again asks for nothing else of its queue.
  const context = { now, history, retention: wait.retention } as SettleContext;
  const change = settle(record, { type: 'success', result: end.result }, context);
  return { accepted: true, change, rev: token };
}

function completionBy(token: string, end: Exclude<OutsideEnd, { type: 'heartbeat' }>): Completion {
  return {
    token,
    ...(end.type === 'failed'
      ? { error: end.error }
      : end.result === undefined
        ? {}
        : { result: end.result }),
  };
}

/** The wait of a record from now on. */
function prolonged(record: BacklogRecord, seconds: number | undefined, now: number): Answer {
  const { until: _, ...pending } = outsideWaitOf(record) as NonNullable<ReturnType<typeof outsideWaitOf>>;
  const until = pendingEnd(now, seconds ?? pending.timeout);
  return { accepted: true, change: { set: { dueAt: until, notBefore: { until, pending } }, remove: [] } };
}
