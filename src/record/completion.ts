import { age } from '../support/age.js';
import { toIso } from '../support/clock.js';
import { arrivalOf, type RecordChange, type SettleContext, waitUntil } from './change.js';
import { digest, workDigest } from './completion-token.js';
import { type ErrorText, shortReason } from './history.js';
import { holdOf } from './not-before.js';
import type { AttemptOutcome, PendingOutcome } from './outcome.js';
import type { BacklogRecord } from './record.js';
import { parseResult } from './result.js';

/** The class of the failure of a record that was not completed in time. */
export const PENDING_TIMED_OUT = 'PendingTimedOut';
/** The longest timeout: that of any wait, `MAX_WAIT_SECONDS`, whose module would load the validation of policies with it. */
const MAX_TIMEOUT_SECONDS = 365 * 86_400;

/** The outcome of an attempt whose end comes from outside, with the change that it makes. */
export function pendingWith(pending: PendingOutcome, token: string): AttemptOutcome {
  return { ...pending, change: (settled, said, context) => waitOutside(settled, said, token, context) };
}

/** The end of the milliseconds of the due time of a record that waits for its end from outside: by it, the index tells which these are. */
const MARK = '.998Z';

/** The end of a wait from now on, ISO-8601: a whole second, less the two milliseconds that mark it. */
export function pendingEnd(now: number, seconds: number): string {
  return toIso(Math.ceil(now / 1000 + seconds) * 1000 - 2);
}

/** Tells whether a due time in the index is the end of such a wait. Any service may have written one. */
export function isPendingEnd(dueAt: string): boolean {
  return dueAt.endsWith(MARK);
}

/** The record waits for its end from outside: due at the end of that wait, under either retry mode. The attempt is not counted before it ends. */
function waitOutside(
  record: BacklogRecord,
  { seconds, reason }: PendingOutcome,
  token: string,
  context: SettleContext,
): RecordChange {
  const until = pendingEnd(context.now, seconds);
  const { set, remove } = waitUntil({ ...record, notBefore: undefined }, Date.parse(until), context);
  const pending = {
    token,
    timeout: seconds,
    since: toIso(context.now),
    ...(context.retention !== undefined && { retention: context.retention }),
    ...(reason !== undefined && { reason: shortReason(reason) }),
  };
  return {
    set: { ...arrivalOf(record), ...set, dueAt: until, notBefore: { until, pending } },
    remove,
    countedAs: 'pending',
  };
}

/** The wait of a record whose attempt has ended as `Pending`: for its end from outside. */
export interface OutsideWait {
  /** The token of that attempt. */
  readonly token: string;
  /** Seconds from the end of the attempt, or from the newest heartbeat, to the end of the wait. */
  readonly timeout: number;
  /** The end of that attempt, ISO-8601. Absent: not known. */
  readonly since?: string | undefined;
  /** Seconds for which the record is kept after its success. Absent: for ever. */
  readonly retention?: number | undefined;
  /** The reason for the wait, in a few words. */
  readonly reason?: string | undefined;
}

/** The form of a token; see `completionToken`. */
const TOKEN_FORM = /^[1-9]\d{0,8}\.[\w-]{22}\.[\w-]{16}\.[\w-]{8}$/;

/** Tells whether the work of a record is still what the attempt of a token was about. */
export function isOfWork(record: BacklogRecord, token: string): boolean {
  return token.split('.')[2] === workDigest(record);
}

/**
 * Tells whether a token is of an attempt of the record as it is now, whatever its work: of the next one, or of one that may be under way.
 * A long attempt writes the `rev` again and again.
 */
export function isOfAttempt(record: BacklogRecord, token: string): boolean {
  const [attempt, , , rev] = token.split('.');
  const isAttempt = TOKEN_FORM.test(token) && Number(attempt) === record.attempts + 1;
  return isAttempt && (holdOf(record) !== undefined || rev === digest([record.rev], 8));
}

/**
 * A wait that is in force.
 *
 * @inline
 */
interface PresentWait extends OutsideWait {
  /** The time at which it ends, ISO-8601. */
  readonly until: string;
}

/**
 * The wait of a record for its end from outside, and the time at which it ends, ISO-8601. Undefined: it waits for something else, such as
 * the time that an operator has put it off until. A failure that was given before that holds.
 */
export function outsideWaitOf({
  notBefore,
  dueAt,
  completion,
}: Pick<BacklogRecord, 'notBefore' | 'dueAt' | 'completion'>): PresentWait | undefined {
  if (typeof notBefore !== 'object') return undefined;
  const wait = parseOutsideWait(notBefore.pending);
  if (!wait) return undefined;
  const isInForce = notBefore.until === dueAt || parseCompletion(completion)?.token === wait.token;
  return isInForce ? { ...wait, until: notBefore.until } : undefined;
}

/** Reads the part `pending` of the attribute `notBefore`. Undefined: it is no such thing. */
function parseOutsideWait(value: unknown): OutsideWait | undefined {
  const { token, timeout, since, retention, reason } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof token !== 'string' || !TOKEN_FORM.test(token)) return undefined;
  if (typeof timeout !== 'number' || !(timeout > 0 && timeout <= MAX_TIMEOUT_SECONDS)) return undefined;
  return {
    token,
    timeout,
    ...(typeof since === 'string' && { since }),
    ...(typeof retention === 'number' && retention >= 0 && { retention }),
    ...(typeof reason === 'string' && { reason }),
  };
}

/** The end of an attempt as it was given from outside, by `complete` or `fail` of `BacklogClient`. */
export interface Completion {
  /** The token of the attempt. */
  readonly token: string;
  /** The result, as JSON. Absent: none. */
  readonly result?: string | undefined;
  /** The failure. Absent: the work is done. */
  readonly error?: ErrorText | undefined;
}

/**
 * The end that the last attempt of a record was given from outside. Undefined: none, or one of an earlier attempt. One that was kept beside the
 * attempt of a record without `rev` is for its process alone: a producer may have put another record in place of that.
 */
export function completionOf(record: BacklogRecord): Completion | undefined {
  const given = parseCompletion(record.completion);
  if (!given) return undefined;
  const wait = outsideWaitOf(record);
  const isItsOwn = wait
    ? given.token === wait.token
    : record.rev !== undefined && isOfAttempt(record, given.token);
  return isItsOwn && isOfWork(record, given.token) ? given : undefined;
}

/** Reads the attribute `completion`. Undefined: it is no such thing. */
export function parseCompletion(value: unknown): Completion | undefined {
  const { token, result, error } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof token !== 'string' || !TOKEN_FORM.test(token)) return undefined;
  const { name, message } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const text = (part: unknown) => (typeof part === 'string' ? part : '');
  return {
    token,
    ...(parseResult(result) && { result: String(result) }),
    ...(error !== undefined && { error: { name: text(name) || 'Error', message: text(message) } }),
  };
}

/**
 * Tells whether the last attempt of a record has an end that a run writes. Its wait is over, the work has failed outside, or it was completed
 * while the process of its attempt was lost. A record that was put off differently since, or whose work was changed, is attempted again.
 *
 * @param now the backlog's time
 */
export function hasOutsideEnd(record: BacklogRecord, now: number): boolean {
  if (completionOf(record)) return true;
  const wait = outsideWaitOf(record);
  return wait !== undefined && Date.parse(wait.until) <= now && isOfWork(record, wait.token);
}

/** The outcome that a record's last attempt has had outside. Undefined: none, and it is attempted. */
export function outsideOutcome(record: BacklogRecord, now: number): AttemptOutcome | undefined {
  if (!hasOutsideEnd(record, now)) return undefined;
  const completion = completionOf(record);
  if (completion) return outcomeOfCompletion(completion);
  const timeoutMs = 1000 * (outsideWaitOf(record)?.timeout ?? 0);
  return {
    type: 'failure',
    error: { name: PENDING_TIMED_OUT, message: `not completed within ${age(timeoutMs)}` },
  };
}

/** The outcome of an attempt that was completed, or failed, before it had settled. */
export function outcomeOfCompletion({ result, error }: Completion): AttemptOutcome {
  return error ? { type: 'failure', error } : { type: 'success', result };
}
