import { createHash } from 'node:crypto';
import { toIso } from '../support/clock.js';
import { age } from '../support/duration.js';
import { arrivalOf, type RecordChange, type SettleContext, waitUntil } from './change.js';
import { type ErrorText, storedText } from './history.js';
import type { AttemptOutcome, PendingOutcome } from './outcome.js';
import type { BacklogRecord } from './record.js';
import { parseResult } from './result.js';

/** The class of the failure of a record that was not completed in time. */
const PENDING_TIMED_OUT = 'PendingTimedOut';
const MAX_REASON_BYTES = 200;

/**
 * A digest of the work of a record: its payload, queue and task. DynamoDB may return the entries of a map in any order, and some
 * values have no JSON.
 */
export function workDigest({ payload, queue, task }: BacklogRecord): string {
  return createHash('sha256')
    .update(JSON.stringify([payload, queue, task], inOrder))
    .digest('base64url')
    .slice(0, 16);
}

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (value instanceof Set) return [...value].map((element) => JSON.stringify(element, inOrder)).sort();
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}

/** The outcome of an attempt whose end comes from outside, with the change that it makes. */
export function pendingWith(pending: PendingOutcome, record: BacklogRecord, token: string): AttemptOutcome {
  const work = workDigest(record);
  return {
    ...pending,
    change: (settled, said, context) => waitOutside(settled, said, { token, work }, context),
  };
}

/** The record waits for its end from outside: due at the end of that wait, under either retry mode. The attempt is not counted before it ends. */
function waitOutside(
  record: BacklogRecord,
  { seconds, reason }: PendingOutcome,
  of: { readonly token: string; readonly work: string },
  context: SettleContext,
): RecordChange {
  const until = toIso(Math.ceil(context.now + seconds * 1000));
  const { set, remove } = waitUntil({ ...record, notBefore: undefined }, Date.parse(until), context);
  const pending = {
    ...of,
    timeout: seconds,
    ...(context.retention !== undefined && { retention: context.retention }),
    ...(reason !== undefined && { reason: storedText(reason, MAX_REASON_BYTES) }),
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
  /** The digest of the work that was attempted: a completion is not for other work. */
  readonly work: string;
  /** Seconds for which the record is kept after its success. Absent: for ever. */
  readonly retention?: number | undefined;
  /** The reason for the wait, in a few words. */
  readonly reason?: string | undefined;
}

/** The form of a token: the number of the attempt, and a digest. */
export const TOKEN_FORM = /^[1-9]\d{0,8}\.[\w-]{22}$/;

/** The wait of a record for its end from outside, and the time at which it ends, ISO-8601. Undefined: it waits for something else. */
export function outsideWaitOf({
  notBefore,
}: Pick<BacklogRecord, 'notBefore'>): (OutsideWait & { readonly until: string }) | undefined {
  if (typeof notBefore !== 'object') return undefined;
  const wait = parseOutsideWait(notBefore.pending);
  return wait && { ...wait, until: notBefore.until };
}

/** Reads the part `pending` of the attribute `notBefore`. Undefined: it is no such thing. */
function parseOutsideWait(value: unknown): OutsideWait | undefined {
  const { token, timeout, work, retention, reason } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (!TOKEN_FORM.test(String(token)) || typeof timeout !== 'number' || !(timeout > 0)) return undefined;
  return {
    token: String(token),
    timeout,
    work: String(work),
    ...(typeof retention === 'number' && { retention }),
    ...(typeof reason === 'string' && { reason }),
  };
}

/** The end of an attempt as it was given from outside, by `complete` or `fail` of `BacklogClient`. */
export interface Completion {
  /** The token of the attempt. */
  readonly token: string;
  /** The record's `rev` as it was given. Absent: it had none. */
  readonly rev?: string | undefined;
  /** The result, as JSON. Absent: none. */
  readonly result?: string | undefined;
  /** The failure. Absent: the work is done. */
  readonly error?: ErrorText | undefined;
}

/**
 * The end that the last attempt of a record was given from outside. A record that waits has the token of that attempt; one that was kept beside
 * an attempt is of it as long as nothing else has been written. Undefined: none.
 */
export function completionOf({
  notBefore,
  completion,
  rev,
  attempts,
}: Pick<BacklogRecord, 'notBefore' | 'completion' | 'rev' | 'attempts'>): Completion | undefined {
  const given = parseCompletion(completion);
  const wait = outsideWaitOf({ notBefore });
  if (wait) return given?.token === wait.token ? given : undefined;
  return given?.rev === rev && given?.token.startsWith(`${attempts + 1}.`) ? given : undefined;
}

function parseCompletion(value: unknown): Completion | undefined {
  const { token, rev, result, error } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (!TOKEN_FORM.test(String(token))) return undefined;
  const { name, message } = (error ?? {}) as Readonly<Record<string, unknown>>;
  return {
    token: String(token),
    ...(typeof rev === 'string' && { rev }),
    ...(parseResult(result) && { result: String(result) }),
    ...(error !== undefined && { error: { name: String(name), message: String(message) } }),
  };
}

/**
 * Tells whether the last attempt of a record has an end that a run writes. Its wait is over, the work has failed outside, or it was completed
 * while the process of its attempt was lost. A record that was put off differently since is attempted again.
 *
 * @param now the backlog's time
 */
export function hasOutsideEnd(record: BacklogRecord, now: number): boolean {
  const wait = outsideWaitOf(record);
  const isOver = wait !== undefined && wait.until === record.dueAt && Date.parse(wait.until) <= now;
  return isOver || completionOf(record) !== undefined;
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
