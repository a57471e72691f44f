import type { RetryLimits, RetryPolicy } from '../policies/index.js';
import type { AS_READ, AsRead } from './as-read.js';

export const STATUSES = ['NEW', 'ERROR', 'SUCCESS', 'DEAD'] as const;
export type Status = (typeof STATUSES)[number];

/** How a queue retries: by a due time per record, or by the age of the record and the rule that covers it. */
export type RetryMode = 'perRecord' | 'progressive';

export const DEFAULT_QUEUE = 'default';
/**
 * What a queue's name is, in a record and in every option. Keys of the control table and lanes are made of it, and
 * DynamoDB takes 2,048 bytes in a key.
 */
export const QUEUE_PATTERN = /^[A-Za-z0-9_.-]{1,128}$/;
/** What `QUEUE_PATTERN` asks for, in the words of an error. */
export const QUEUE_NAME = 'letters, digits, "_", "." and "-", at most 128';

/** The newest failure, as kept on the record. */
export interface ErrorEntry {
  /** The error's class, such as `TypeError`, `AttemptTimeout`, `WorkerLost`, `HttpError`. */
  readonly name: string;
  readonly message: string;
  /** ISO-8601. */
  readonly at: string;
  /** Which attempt it was, from 1. */
  readonly attempt: number;
}

/** One attempt, as kept on the record: every failure, and what came after one, or after a snooze. */
export interface HistoryEntry {
  /** When it ended, ISO-8601. */
  readonly at: string;
  /** Which attempt it was, from 1. */
  readonly attempt: number;
  /** How long it took; absent where nobody knows. */
  readonly ms?: number | undefined;
  /** Absent: it failed. */
  readonly outcome?: 'succeeded' | 'snoozed' | 'cancelled' | undefined;
  /** The error's class; of a failure. */
  readonly name?: string | undefined;
  /** The error's, or why it was put off. */
  readonly message?: string | undefined;
  /** Where the error was thrown, without its message; if the handler keeps stacks. */
  readonly stack?: string | undefined;
  /** When it was to be tried again, ISO-8601; `"dead"`: never. Absent: at the next turn of a progressive queue. */
  readonly next?: string | undefined;
  /** The queue into which it was moved for that. */
  readonly queue?: string | undefined;
}

/**
 * One unit of work as the library reads it: DynamoDB's item with every default filled in. Times are ISO-8601 in UTC
 * with milliseconds. See docs/records.md for who writes which attribute.
 */
export interface BacklogRecord<Payload = unknown> {
  readonly id: string;
  readonly status: Status;
  readonly payload: Payload;
  readonly queue: string;
  /** Names the task whose work it is; absent: the handler's `process` is for it. */
  readonly task?: string | undefined;
  readonly insertedAt: string;
  /** Set by a delay or a redrive; age counts from here, by default from `insertedAt`. */
  readonly availableAt?: string | undefined;
  /** Key of the sparse index; absent once the record has succeeded. */
  readonly lane?: string | undefined;
  readonly dueAt?: string | undefined;
  /** The fence: new at every write of the library. */
  readonly rev?: string | undefined;
  readonly attempts: number;
  readonly failures: number;
  readonly firstFailureAt?: string | undefined;
  readonly lastFailureAt?: string | undefined;
  readonly lastAttemptAt?: string | undefined;
  readonly lastError?: ErrorEntry | undefined;
  /** The history of its attempts: newest last, bounded in bytes. */
  readonly history: readonly HistoryEntry[];
  /** Progressive records only: not before this, whatever the rule says. */
  readonly notBefore?: string | undefined;
  /**
   * An operator took it out of that lane: it may be under attempt there until then, ISO-8601. Nobody brings its next
   * attempt forward before.
   */
  readonly formerLane?: { readonly lane: string; readonly until: string } | undefined;
  /** Since when it waits for a handler that knows its task. */
  readonly unknownTaskSince?: string | undefined;
  /** Overrides the queue's policy. An invalid one is left out here and named in `problems`. */
  readonly retry?: RetryPolicy | undefined;
  /** Where it overrides the limits of the queue's policy only. Kept in the attribute `retry`. */
  readonly limits?: RetryLimits | undefined;
  /** Why it was given up. */
  readonly deadReason?: string | undefined;
  /** The version of the item; absent: 1. Kept in the attribute `backlogFormat`. */
  readonly format?: number | undefined;
  /** Epoch seconds, for DynamoDB's TTL. */
  readonly expiresAt?: number | undefined;
  /** Whatever else the producer stored with it. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Its item has no room left for the outcome of an attempt. */
  readonly isFull?: true | undefined;
  /** Contract attributes that made no sense and were replaced by their defaults. */
  readonly problems: readonly string[];
  /**
   * For the store alone; only while there is no `rev` to go by.
   *
   * @internal
   */
  readonly [AS_READ]?: AsRead | undefined;
}

export function isPending(record: BacklogRecord): boolean {
  return record.status === 'NEW' || record.status === 'ERROR';
}

/** The start of a cancelled record's `deadReason`. */
export const CANCELLED = 'cancelled: ';

/** Given up because nobody wanted it any more: it is among the dead, and nothing to be alarmed at. */
export function isCancelled({ status, deadReason }: BacklogRecord): boolean {
  return status === 'DEAD' && deadReason?.startsWith(CANCELLED) === true;
}

/** What the age counts from, epoch milliseconds. */
export function bornAt(record: BacklogRecord): number {
  return Date.parse(record.availableAt ?? record.insertedAt);
}
