import type { ParsedLimits, RetryPolicy } from '../policies/index.js';

/** An item as the table has it: any service may have written it. */
export type Item = Readonly<Record<string, unknown>>;

/**
 * The state of a record. `NEW`: no attempt has failed. `ERROR`: it waits for its next attempt. `SUCCESS`: its work is done.
 * `DEAD`: it was given up, for its `deadReason`.
 */
export type Status = 'NEW' | 'ERROR' | 'SUCCESS' | 'DEAD';
/** All statuses, in the order of a record's life. */
export const STATUSES = ['NEW', 'ERROR', 'SUCCESS', 'DEAD'] as const satisfies readonly Status[];

/**
 * The way a queue retries: by a due time per record, or by the age of the record and the rule that covers it.
 *
 * @inline
 */
export type RetryMode = 'perRecord' | 'progressive';

/** The queue of a record that names none. */
export const DEFAULT_QUEUE = 'default';
/**
 * The form of a queue's name, in a record and in every option. Keys of the control table and lanes contain it, and
 * DynamoDB takes 2,048 bytes in a key. `__proto__` is the name of no queue: as a name in an object, JavaScript drops it.
 */
export const QUEUE_PATTERN = /^(?!__proto__$)[A-Za-z0-9_.-]{1,128}$/;
/** The form of `QUEUE_PATTERN`, in the words of an error. */
export const QUEUE_NAME = 'letters, digits, "_", "." and "-", at most 128, and not "__proto__"';

/** The newest failure, as kept on the record. */
export interface ErrorEntry {
  /** The error's class, such as `TypeError`, `AttemptTimeout`, `WorkerLost`, `HttpError`. */
  readonly name: string;
  /** The error's message, up to 400 bytes. */
  readonly message: string;
  /** The end of the attempt, ISO-8601. */
  readonly at: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
}

/** One attempt, as kept on the record: every failure, and what came after one, or after a snooze. */
export interface HistoryEntry {
  /** Its end, ISO-8601. */
  readonly at: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** Its duration in milliseconds; absent if that is not known. */
  readonly ms?: number | undefined;
  /** Its outcome. Absent: it failed. */
  readonly outcome?: 'succeeded' | 'snoozed' | 'cancelled' | undefined;
  /** The error's class; of a failure. */
  readonly name?: string | undefined;
  /** The error's message, or the reason why it was put off. */
  readonly message?: string | undefined;
  /** The stack of the error without its message, if the handler keeps stacks. */
  readonly stack?: string | undefined;
  /** The time of the next attempt, ISO-8601; `"dead"`: none. Absent: the next turn of a progressive queue. */
  readonly next?: string | undefined;
  /** The queue into which it was moved for that. */
  readonly queue?: string | undefined;
  /** Seconds to wait that its destination or handler has asked for. Absent: none, or the rules keep the schedule. */
  readonly retryAfter?: number | undefined;
  /** It was made ahead of the record's time, to see whether what fails is back. It is not counted as an attempt. */
  readonly probe?: true | undefined;
}

/**
 * One unit of work as the library reads it: DynamoDB's item with every default filled in. Times are ISO-8601 in UTC
 * with milliseconds. docs/records.md says which service writes which attribute.
 */
export interface BacklogRecord<Payload = unknown> {
  /** Unique in the table; the idempotency key of the attempts. */
  readonly id: string;
  /** The state of the record. */
  readonly status: Status;
  /** The work itself, as the producer stored it. */
  readonly payload: Payload;
  /** The name of its queue. Default: `default`. */
  readonly queue: string;
  /** Names the task whose work it is; absent: the handler's `process` is for it. */
  readonly task?: string | undefined;
  /** The customer or tenant whose work it is, 1 to 256 bytes. Absent: it names none, or what is no such text. */
  readonly key?: string | undefined;
  /** Its number among the records of its key, from 1, in a queue with `order`. Absent: it has none, or what is no such number. */
  readonly seq?: number | undefined;
  /** The time at which the work arose, as its producer says, or at which it was inserted. */
  readonly insertedAt: string;
  /** The time that its age counts from, set by a delay or a redrive. Default: `insertedAt`. */
  readonly availableAt?: string | undefined;
  /** Key of the sparse index; absent once the record has succeeded. */
  readonly lane?: string | undefined;
  /** The due time; on a progressive queue the time that its age counts from. Absent without `lane`. */
  readonly dueAt?: string | undefined;
  /** The fence: new at every write of the library. */
  readonly rev?: string | undefined;
  /** Attempts so far, from 0. */
  readonly attempts: number;
  /** Failures so far; a redrive sets it to 0. */
  readonly failures: number;
  /** Attempts that found the work not ready (a `Snooze` without a delay); a redrive sets it to 0. Absent: none. */
  readonly notReady?: number | undefined;
  /** The time of the first failure; absent without failures. */
  readonly firstFailureAt?: string | undefined;
  /** The time of the last failure; absent without failures. */
  readonly lastFailureAt?: string | undefined;
  /** The end of the last attempt; absent before the first one. */
  readonly lastAttemptAt?: string | undefined;
  /** The newest failure. */
  readonly lastError?: ErrorEntry | undefined;
  /** The history of its attempts: newest last, bounded in bytes. */
  readonly history: readonly HistoryEntry[];
  /** Its due time is kept to the second, and not to the tick. */
  readonly exact?: true | undefined;
  /**
   * The time before which it is not attempted, whatever the rule says. A time, ISO-8601: a wait that was asked for, on a
   * progressive queue. An object: an attempt of it may be under way.
   */
  readonly notBefore?:
    | string
    | {
        /** ISO-8601. */
        readonly until: string;
        /**
         * The partition of the index that an operator took it out of, where a run may be attempting it. Absent: a long attempt
         * is under way, as its process last said.
         */
        readonly lane?: string | undefined;
        /** The reason for which the long attempt is to end: the record is cancelled, unless that attempt succeeds. */
        readonly cancel?: string | undefined;
        /** Its attempt has ended as `Pending`: it waits for its end from outside, as `completion.ts` reads this. */
        readonly pending?: unknown;
      }
    | undefined;
  /** The end that its attempt was given from outside, before a run has written it, as it is stored. Absent: none. */
  readonly completion?: unknown;
  /** The number of records before it in a chain, each inserted by an attempt of the one before. Absent: none. */
  readonly hops?: number | undefined;
  /** The time since which it waits for a handler that knows its task. */
  readonly unknownTaskSince?: string | undefined;
  /** Overrides the queue's policy. An invalid one is left out here and named in `problems`. */
  readonly retry?: RetryPolicy | undefined;
  /** Limits that override those of the queue's policy. Kept in the attribute `retry`. */
  readonly limits?: ParsedLimits | undefined;
  /** The trace that its producer put it in, by W3C Trace Context. An invalid one is left out here and named in `problems`. */
  readonly traceparent?: string | undefined;
  /** The reason why it was given up. */
  readonly deadReason?: string | undefined;
  /** The version of the item; absent: 1. Kept in the attribute `backlogFormat`. */
  readonly format?: number | undefined;
  /** The value that its success has given (`new Done({ result })`); absent: none. Kept as JSON in the attribute `result`. */
  readonly result?: unknown;
  /** Its item has a `result` that an earlier success has left: the next outcome removes it. */
  readonly hasOldResult?: true | undefined;
  /** Epoch seconds, for DynamoDB's TTL. */
  readonly expiresAt?: number | undefined;
  /** Whatever else the producer stored with it. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Its item has no room left for the outcome of an attempt. */
  readonly isFull?: true | undefined;
  /** The bytes that its item has left for its history, near the limit of 400 KB; absent: enough. */
  readonly historyRoom?: number | undefined;
  /** Contract attributes that were invalid and were replaced by their defaults. */
  readonly problems: readonly string[];
  /**
   * The item as the store read it, for the store alone.
   *
   * @internal
   */
  readonly [AS_READ]?: AsRead | undefined;
}

/** Tells whether the record waits for an attempt: `NEW` or `ERROR`. */
export function isPending(record: BacklogRecord): boolean {
  return record.status === 'NEW' || record.status === 'ERROR';
}

/** Tells whether it was put without `lane`. Then it waits to be indexed, or for its first attempt. */
export function isNotIndexed(record: BacklogRecord): boolean {
  return record.lane === undefined && record.status !== 'SUCCESS';
}

/** The worker ended in the middle of the attempt: process exit, out of memory, or the function's timeout. */
export const WORKER_LOST = 'WorkerLost';

/** The start of a cancelled record's `deadReason`. */
export const CANCELLED = 'cancelled: ';

/** The start of the `deadReason` of a record that an operator has discarded. */
export const DISCARDED = 'discarded';

/** Tells whether a record was discarded or cancelled: a redrive of a selection leaves it out. */
export function isUnwanted({ deadReason = '' }: Pick<BacklogRecord, 'deadReason'>): boolean {
  return isReason(deadReason, DISCARDED) || deadReason.startsWith(CANCELLED);
}

/** Tells whether a `deadReason` is this word of the library, alone or before a text. A handler may begin its own with it. */
export function isReason(deadReason: string, word: string): boolean {
  return deadReason === word || deadReason.startsWith(`${word}: `);
}

/** Tells whether it was given up because its work was not wanted any more: it is among the dead, and sets off no alarm. */
export function isCancelled({ status, deadReason }: Pick<BacklogRecord, 'status' | 'deadReason'>): boolean {
  return status === 'DEAD' && deadReason?.startsWith(CANCELLED) === true;
}

/** The time that the age counts from, epoch milliseconds. */
export function bornAt(record: BacklogRecord): number {
  return Date.parse(record.availableAt ?? record.insertedAt);
}

/**
 * The version of the items that this code reads and writes. Items that have an attribute more are of the same
 * version, as long as code that does not know it does no harm; docs/upgrades.md says when there must be
 * a new one.
 */
export const RECORD_FORMAT = 1;

/** Tells whether it was written by a later version of this library, which alone can handle it. */
export function isNewer({ format = 1 }: Pick<BacklogRecord, 'format'>): boolean {
  return format > RECORD_FORMAT;
}

/** The key of what its store read of a record: a copy of the record has it, too, but its JSON does not. */
export const AS_READ: unique symbol = Symbol('asRead');

/**
 * The fence of a record: its item as the store had it when it was read, and what the library has written since. Only that
 * store knows what is in it. Nothing that prints or serializes a record shows it.
 */
export class AsRead {
  readonly #stored: unknown;
  readonly #written: Item;

  constructor(stored: unknown, written: Item = {}) {
    this.#stored = stored;
    this.#written = written;
  }

  /**
   * The item as the store has read it, and the attributes that the library has written since; `undefined`: removed.
   *
   * @throws TypeError if the record was not read by a store
   */
  static of({ [AS_READ]: asRead, id }: Fenced): { readonly stored: unknown; readonly written: Item } {
    if (asRead === undefined) throw new TypeError(`record ${id}: it is not known as what it was read`);
    return { stored: asRead.#stored, written: asRead.#written };
  }

  /** The fence of a record that the library has just written. */
  static after(record: Fenced, change: Item): AsRead {
    const { stored, written } = AsRead.of(record);
    return new AsRead(stored, { ...written, ...change });
  }
}

/** A record as far as its fence needs it. Published declarations have no `AS_READ` in the record itself. */
interface Fenced {
  readonly id: string;
  readonly [AS_READ]?: AsRead | undefined;
}

/**
 * A copy of a record for code of the user's. The library goes on with its own, so whatever that code does to the copy, then
 * or later, is in no write, no log line and no decision. A frozen record would fail the attempts of code that only
 * normalizes what it got.
 *
 * `payload` and `attributes` are handed over as they are: a copy of 300 KB would cost more than the rest of an attempt. The
 * library does not look at them again.
 */
export function copyForHandler(record: BacklogRecord): BacklogRecord {
  const { lastError, history, notBefore, retry, limits, problems } = record;
  return {
    ...record,
    history: history.map((entry) => ({ ...entry })),
    problems: [...problems],
    // Only its store may see it.
    ...(record[AS_READ] && { [AS_READ]: undefined }),
    ...(lastError && { lastError: { ...lastError } }),
    ...(typeof notBefore === 'object' && { notBefore: { ...notBefore } }),
    ...(retry && { retry: structuredClone(retry) }),
    ...(limits && { limits: { ...limits } }),
  };
}
