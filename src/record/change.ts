import type { ResolvedPolicy } from '../policies/index.js';
import { toIso } from '../support/clock.js';
import type { Random } from '../support/random.js';
import { appendEntry, DEFAULT_HISTORY, type HistoryLimits } from './history.js';
import { deadLane, laneOf } from './lanes.js';
import {
  type BacklogRecord,
  bornAt,
  type ErrorEntry,
  type HistoryEntry,
  type RetryMode,
  type Status,
} from './record.js';

/** Attributes that a settle writes or removes; those it does not name stay as they are. */
export interface RecordChange {
  /** Attributes and their new values; see `BacklogRecord`. */
  readonly set: {
    /** The new status. */
    readonly status?: Status;
    /** The queue into which it moves. */
    readonly queue?: string;
    /** The time of the insertion, ISO-8601. */
    readonly insertedAt?: string;
    /** The time that its age counts from, ISO-8601. */
    readonly availableAt?: string;
    /** Its partition of the index. */
    readonly lane?: string;
    /** The due time, ISO-8601. */
    readonly dueAt?: string;
    /** Marks a due time that is kept to the second. */
    readonly exact?: true;
    /** Attempts so far. */
    readonly attempts?: number;
    /** Failures so far. */
    readonly failures?: number;
    /** Attempts that found the work not ready. */
    readonly notReady?: number;
    /** ISO-8601. */
    readonly firstFailureAt?: string;
    /** ISO-8601. */
    readonly lastFailureAt?: string;
    /** ISO-8601. */
    readonly lastAttemptAt?: string;
    /** The newest failure. */
    readonly lastError?: ErrorEntry;
    /** The newest attempts. */
    readonly history?: readonly HistoryEntry[];
    /** The time before which it is not attempted; see `NotBefore`. */
    readonly notBefore?: NonNullable<BacklogRecord['notBefore']>;
    /** The end that its attempt was given from outside. */
    readonly completion?: unknown;
    /** ISO-8601. */
    readonly unknownTaskSince?: string;
    /** The reason of its death. */
    readonly deadReason?: string;
    /** The result of its success, as JSON. */
    readonly result?: string;
    /** The time from which DynamoDB's TTL may remove it, epoch seconds. */
    readonly expiresAt?: number;
  };
  /** Attributes that go. */
  readonly remove: readonly (
    | 'lane'
    | 'dueAt'
    | 'exact'
    | 'notBefore'
    | 'completion'
    | 'unknownTaskSince'
    | 'deadReason'
    | 'result'
    | 'expiresAt'
    | 'failures'
    | 'notReady'
    | 'firstFailureAt'
    | 'lastFailureAt'
    | 'lastError'
    | 'history'
  )[];
  /** The token of the attempt that is ended from outside. Its `rev` begins with it. */
  readonly token?: string;
  /** The count of the run that it adds to, if the status does not tell. `succeeded`: it comes again. */
  readonly countedAs?: 'succeeded' | 'snoozed' | 'pending' | 'cancelled' | 'unknownTask' | 'probe';
}

export interface SettleContext {
  /** The lane that the record belongs in: the one it was found in, if that is one of its queue's shards. */
  readonly lane: string;
  /** The lane of its key, for as long as it waits no longer than until then. Default: it has none. */
  readonly busyLane?: { readonly lane: string; readonly until: number } | undefined;
  readonly retryMode: RetryMode;
  /** The queue's policy; the record's own comes before it. */
  readonly policy: ResolvedPolicy;
  /** Tells that the policy was chosen for this failure, and is not the queue's: its waits hold on a progressive queue too. */
  readonly chosen?: boolean | undefined;
  /** The queue into which it is moved if it is to be retried. Default: it stays. */
  readonly retryQueue?: string | undefined;
  /** The end of the attempt, epoch milliseconds. */
  readonly now: number;
  /** Time between two polls of the queue. */
  readonly tickSeconds: number;
  /** Random numbers for policies that leave the wait to chance: one per failure. */
  readonly random: Random;
  /** The longest `Retry-After` that is kept, in seconds. Default: a day. */
  readonly maxRetryAfter?: number | undefined;
  /** Time for which a finished record is kept, in seconds; `undefined`: for ever. */
  readonly retention?: number | undefined;
  /** Limits of the history that is kept. */
  readonly history?: HistoryLimits | undefined;
}

/** A record without a lane was put by a producer that writes only the required attributes: this adds `insertedAt`. */
export function arrivalOf({ lane, insertedAt }: BacklogRecord): { readonly insertedAt?: string } {
  return lane === undefined ? { insertedAt } : {};
}

/** The attributes that every attempt writes. */
export function attemptOf(record: BacklogRecord, { now }: SettleContext) {
  return {
    ...arrivalOf(record),
    attempts: record.attempts + 1,
    lastAttemptAt: toIso(now),
  };
}

const MIN_HISTORY_BYTES = 200;

/** The history with one more attempt, within the room that its item has. */
export function historyOf(
  record: BacklogRecord,
  entry: Omit<HistoryEntry, 'at' | 'attempt'>,
  { now, history = DEFAULT_HISTORY }: SettleContext,
): readonly HistoryEntry[] {
  const { historyRoom = Number.POSITIVE_INFINITY } = record;
  // An entry without its texts takes more: there the newest error says it all.
  if (historyRoom < MIN_HISTORY_BYTES) return [];
  const limits = { ...history, bytes: Math.min(history.bytes, historyRoom) };
  return appendEntry(record.history, { at: toIso(now), attempt: record.attempts + 1, ...entry }, limits);
}

/**
 * Puts the next attempt off until then, in another queue if the record moves there. A record that is not indexed, or is in
 * the lane of a shard that is gone, is indexed by this. TTL does not remove a record that waits.
 *
 * On a progressive queue the rules keep the schedule: the index key stays the insertion time, and the write leaves the
 * index alone. The retry mode of another queue is not known here: a run of either mode honours the due time, and corrects
 * it for its own mode.
 */
export function waitUntil(record: BacklogRecord, earliest: number, context: SettleContext) {
  const { retryMode, now, retryQueue, busyLane } = context;
  const own = busyLane && earliest <= busyLane.until ? busyLane.lane : context.lane;
  const lane = record.lane === own ? {} : { lane: own };
  const over = record.notBefore === undefined ? [] : (['notBefore'] as const);
  const indexed = record.lane === undefined ? (['expiresAt'] as const) : [];
  const remove = [...over, ...indexed];
  const next = toIso(earliest);
  if (retryQueue !== undefined) {
    const set = { queue: retryQueue, lane: laneOf(retryQueue), dueAt: next };
    return { set, remove, next };
  }
  if (retryMode === 'perRecord') return { set: { ...lane, dueAt: next }, remove, next };
  const dueAt = toIso(bornAt(record));
  if (earliest > now) return { set: { ...lane, dueAt, notBefore: next }, remove: indexed, next };
  return { set: { ...lane, dueAt }, remove };
}

/** The same outcome for a record that has no room for its history. Undefined: the change has no history. */
export function withoutHistory(change: RecordChange): RecordChange | undefined {
  if (!change.set.history?.length) return undefined;
  return { ...change, set: { ...change.set, history: [] } };
}

/** The time from which a finished record may be removed. */
export function expiryOf({ now, retention }: SettleContext): { readonly expiresAt?: number } {
  return retention === undefined ? {} : { expiresAt: Math.floor(now / 1000 + retention) };
}

export function die(change: RecordChange['set'], reason: string, context: SettleContext): RecordChange {
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
