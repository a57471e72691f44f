import { toIso } from '../clock.js';
import {
  decideRetry,
  limited,
  type ResolvedPolicy,
  type RetryPolicy,
  resolvePolicy,
} from '../policies/index.js';
import type { Random } from '../random.js';
import { appendError, errorEntry, truncate } from './errors.js';
import type { AttemptOutcome } from './outcome.js';
import {
  type BacklogRecord,
  bornAt,
  CANCELLED,
  deadLane,
  type ErrorEntry,
  laneOf,
  type Status,
  type Way,
} from './record.js';

/** Attributes that a settle writes or removes; those it does not name stay as they are. */
export interface RecordChange {
  readonly set: {
    readonly status?: Status;
    readonly queue?: string;
    readonly insertedAt?: string;
    readonly availableAt?: string;
    readonly lane?: string;
    readonly dueAt?: string;
    readonly attempts?: number;
    readonly failures?: number;
    readonly firstFailureAt?: string;
    readonly lastFailureAt?: string;
    readonly lastAttemptAt?: string;
    readonly lastError?: ErrorEntry;
    readonly errors?: readonly ErrorEntry[];
    readonly notBefore?: string;
    readonly unknownTaskSince?: string;
    readonly deadReason?: string;
    readonly expiresAt?: number;
  };
  readonly remove: readonly (
    | 'lane'
    | 'dueAt'
    | 'notBefore'
    | 'unknownTaskSince'
    | 'deadReason'
    | 'expiresAt'
    | 'failures'
    | 'firstFailureAt'
    | 'lastFailureAt'
  )[];
  /** What a run counts it as, where the status does not tell. */
  readonly countedAs?: 'snoozed' | 'cancelled' | 'unknownTask';
}

export interface SettleContext {
  /** The lane the record was found in. */
  readonly lane: string;
  readonly way: Way;
  /** The queue's policy; the record's own comes before it. */
  readonly policy: ResolvedPolicy;
  /** The policy is not the queue's own, but was chosen for this failure: its waits hold on a progressive queue too. */
  readonly chosen?: boolean | undefined;
  /** Another queue, where it goes if it is to be retried. */
  readonly retryQueue?: string | undefined;
  /** When the attempt ended, epoch milliseconds. */
  readonly now: number;
  /** How often the queue is polled. */
  readonly tickSeconds: number;
  /** For policies that leave the wait to chance: drawn from once per failure. */
  readonly random: Random;
  /** How long a finished record is kept; `undefined` for ever. */
  readonly keepSuccessSeconds?: number | undefined;
}

/** The loss of a worker is no proof against the record: never dead of it before its second attempt. */
const LEAST_ATTEMPTS_LOST = 2;
const MAX_REASON_BYTES = 200;

/** What the outcome of an attempt changes on its record. */
export function settle(record: BacklogRecord, outcome: AttemptOutcome, context: SettleContext): RecordChange {
  return known(record, changeFor(record, outcome, context));
}

function changeFor(record: BacklogRecord, outcome: AttemptOutcome, context: SettleContext): RecordChange {
  switch (outcome.type) {
    case 'success':
      return succeed(record, context);
    case 'failure':
      return fail(record, outcome, context);
    case 'dead': {
      const change = outcome.untried
        ? refusalOf(record, outcome.error, context)
        : failureOf(record, outcome.error, context);
      return die(change, truncate(outcome.because, MAX_REASON_BYTES), context);
    }
    case 'snooze':
      return snooze(record, outcome.seconds, context);
    case 'cancel':
      return cancel(record, outcome.because, context);
    default:
      throw new TypeError(`unknown outcome ${JSON.stringify(outcome satisfies never)}`);
  }
}

/** The worker ended in the middle of the attempt: process exit, out of memory, or the function's timeout. */
export const WORKER_LOST = 'WorkerLost';

export function settleLostWorker(record: BacklogRecord, context: SettleContext): RecordChange {
  const message = 'the process ended during the attempt';
  return known(record, fail(record, { error: { name: WORKER_LOST, message } }, context));
}

/** Whoever is attempted has found a handler that knows it. */
function known({ unknownTaskSince }: BacklogRecord, change: RecordChange): RecordChange {
  if (unknownTaskSince === undefined) return change;
  return { ...change, remove: [...change.remove, 'unknownTaskSince'] };
}

/** Too old, and attempted at least once: given up without another attempt. */
export function expire(context: SettleContext): RecordChange {
  return die({}, 'expired', context);
}

/** A due time that belongs to the other way of retrying is put right, without an attempt. */
export function reschedule(dueAt: number): RecordChange {
  return { set: { dueAt: toIso(dueAt) }, remove: [] };
}

function succeed(record: BacklogRecord, context: SettleContext): RecordChange {
  return {
    set: { ...attemptOf(record, context), status: 'SUCCESS', ...expiryOf(context) },
    remove: ['lane', 'dueAt', 'notBefore', 'deadReason'],
  };
}

/** Neither a success nor a failure: what is known of its failures stays, and so does its status. */
function snooze(record: BacklogRecord, seconds: number, context: SettleContext): RecordChange {
  const { lane, expiry } = placeOf(record, context);
  const wait = waitUntil(record, context.now + seconds * 1000, context);
  return {
    set: { ...attemptOf(record, context), ...lane, status: record.status, ...wait.set },
    remove: [...wait.remove, ...expiry],
    countedAs: 'snoozed',
  };
}

function cancel(record: BacklogRecord, because: string, context: SettleContext): RecordChange {
  const reason = truncate(`${CANCELLED}${because}`, MAX_REASON_BYTES);
  const { set } = die(attemptOf(record, context), reason, context);
  const expiry = expiryOf(context);
  const remove =
    expiry.expiresAt === undefined ? (['notBefore', 'expiresAt'] as const) : (['notBefore'] as const);
  return { set: { ...set, ...expiry }, remove, countedAs: 'cancelled' };
}

/** An attempt that was no failure. */
function attemptOf(record: BacklogRecord, { now }: SettleContext) {
  return { ...arrivalOf(record), attempts: record.attempts + 1, lastAttemptAt: toIso(now) };
}

function expiryOf({ now, keepSuccessSeconds }: SettleContext): { readonly expiresAt?: number } {
  return keepSuccessSeconds === undefined ? {} : { expiresAt: Math.floor(now / 1000) + keepSuccessSeconds };
}

/** Who is attempted before it has a place gets one with its first outcome; nobody who waits expires. */
export function placeOf(record: BacklogRecord, context: Pick<SettleContext, 'lane'>) {
  const isNew = record.lane === undefined;
  return {
    lane: isNew ? { lane: context.lane } : {},
    expiry: isNew ? (['expiresAt'] as const) : [],
  };
}

/**
 * The next attempt comes no earlier. On a progressive queue the rules keep the schedule: the index key stays the
 * insertion time, and the write leaves the index alone.
 */
export function waitUntil(record: BacklogRecord, earliest: number, { way, now }: SettleContext) {
  if (way === 'retry') return { set: { dueAt: toIso(earliest) }, remove: [] };
  const dueAt = toIso(bornAt(record));
  if (earliest > now) return { set: { dueAt, notBefore: toIso(earliest) }, remove: [] };
  return { set: { dueAt }, remove: record.notBefore === undefined ? [] : (['notBefore'] as const) };
}

function fail(
  record: BacklogRecord,
  {
    error,
    retryAfterSeconds = 0,
  }: Pick<Extract<AttemptOutcome, { type: 'failure' }>, 'error' | 'retryAfterSeconds'>,
  context: SettleContext,
): RecordChange {
  const change = failureOf(record, error, context);
  const earliest = context.now + retryAfterSeconds * 1000;
  const decision = retryOf(record, change, context);
  if (!decision.retry) {
    const spared = error.name === WORKER_LOST && change.attempts < LEAST_ATTEMPTS_LOST;
    if (!spared) return die(change, decision.reason, context);
  }
  const dueAt = Math.max(
    earliest,
    decision.retry ? decision.dueAt : context.now + context.tickSeconds * 1000,
  );
  const { lane, expiry } = placeOf(record, context);
  const { retryQueue } = context;
  const wait =
    retryQueue === undefined
      ? waitUntil(record, isLeftToRules(record, context) ? earliest : dueAt, context)
      : waitIn(retryQueue, record, dueAt);
  return { set: { ...change, ...lane, status: 'ERROR', ...wait.set }, remove: [...wait.remove, ...expiry] };
}

/** Of another queue nobody knows here how it retries: a run of either way honours the due time, and puts it right. */
function waitIn(queue: string, { notBefore }: BacklogRecord, dueAt: number) {
  return {
    set: { queue, lane: laneOf(queue), dueAt: toIso(dueAt) },
    remove: notBefore === undefined ? [] : (['notBefore'] as const),
  };
}

function retryOf(record: BacklogRecord, change: FailureChange, context: SettleContext) {
  const policy = policyOf(record, context.policy);
  const decision = decideRetry(
    policy,
    {
      id: record.id,
      queue: record.queue,
      failures: change.failures,
      firstFailureAt: Date.parse(change.firstFailureAt),
      failedAt: context.now,
      bornAt: bornAt(record),
    },
    context.tickSeconds,
    context.random,
  );
  // On a progressive queue the last rule gives up what is too old, after its last turn.
  if (isLeftToRules(record, context) && !decision.retry && decision.reason === 'expired') {
    return { retry: true as const, dueAt: context.now };
  }
  return decision;
}

/** The rules of a progressive queue keep the schedule of whoever stays there and has no waits of its own. */
function isLeftToRules(
  { retry }: BacklogRecord,
  { way, chosen = false, retryQueue }: SettleContext,
): boolean {
  if (way !== 'progressive' || retryQueue !== undefined) return false;
  return !(retry === undefined ? chosen : hasOwnSchedule(retry));
}

/** On a progressive queue a policy that only adds limits to its schedule leaves the waits to the rules. */
export function hasOwnSchedule(policy: RetryPolicy): boolean {
  return !(policy.type === 'progressive' && policy.tiers === undefined);
}

export function policyOf({ retry, limits }: BacklogRecord, queuePolicy: ResolvedPolicy): ResolvedPolicy {
  return retry ? resolvePolicy(retry) : limited(queuePolicy, limits);
}

/** A record that is attempted before it has a place in the index was put by somebody who leaves the rest to us. */
export function arrivalOf({ lane, insertedAt }: BacklogRecord): { readonly insertedAt?: string } {
  return lane === undefined ? { insertedAt } : {};
}

interface FailureChange {
  readonly insertedAt?: string;
  readonly attempts: number;
  readonly failures: number;
  readonly firstFailureAt: string;
  readonly lastFailureAt: string;
  readonly lastAttemptAt: string;
  readonly lastError: ErrorEntry;
  readonly errors: readonly ErrorEntry[];
}

function failureOf(
  record: BacklogRecord,
  error: { readonly name: string; readonly message: string },
  { now }: SettleContext,
): FailureChange {
  const at = toIso(now);
  const attempts = record.attempts + 1;
  const entry = errorEntry(error, at, attempts);
  return {
    ...arrivalOf(record),
    attempts,
    failures: record.failures + 1,
    firstFailureAt: record.firstFailureAt ?? at,
    lastFailureAt: at,
    lastAttemptAt: at,
    lastError: entry,
    errors: appendError(record.errors, entry),
  };
}

/** What was found wrong with it before its attempt began: none is counted. */
function refusalOf(
  record: BacklogRecord,
  error: { readonly name: string; readonly message: string },
  { now }: SettleContext,
) {
  const entry = errorEntry(error, toIso(now), record.attempts + 1);
  return { ...arrivalOf(record), lastError: entry, errors: appendError(record.errors, entry) };
}

function die(change: RecordChange['set'], reason: string, context: SettleContext): RecordChange {
  return {
    set: {
      ...change,
      status: 'DEAD',
      lane: deadLane(context.lane),
      dueAt: toIso(context.now),
      deadReason: reason,
    },
    remove: ['notBefore', 'expiresAt'],
  };
}
