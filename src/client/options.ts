import * as z from 'zod/mini';
import {
  type ConnectionOptions,
  clientAlone,
  connectionShape,
  storeWith,
  tableName,
  withMethod,
} from '../connection.js';
import { MAX_WAIT_SECONDS } from '../policies/index.js';
import { QUEUE_NAME, QUEUE_PATTERN, type Status } from '../record/index.js';
import type { OperatorRecordStore, RecordStore } from '../store/index.js';
import { type Duration, duration } from '../support/duration.js';
import { ConfigurationError } from '../support/errors.js';
import { show } from '../support/validation.js';
import type { Delay } from './delay.js';
import type { InsertProgress } from './insert-many.js';
import { DEFAULT_MAX_HOPS } from './new-record.js';
import type { TaskInsertOptions } from './task-record.js';

/** Options of a `BacklogClient`. Only `table` is required. */
export interface BacklogClientOptions extends ConnectionOptions {
  /** Name of the table of records. */
  readonly table: string;
  /**
   * Queues whose records the client itself indexes, or `true` for all.
   *
   * That is for queues with `firstAttempt: 'scheduled'`, where it saves a write unit, and for all where no intake looks after
   * the table. The client always indexes delayed records. Default: none, the intake handles them.
   */
  readonly indexAtOnce?: boolean | readonly string[] | undefined;
  /**
   * Records that may come one out of the other, each inserted by an attempt of the one before: 1 to 1,000. The next one is dead
   * from the start.
   *
   * Only those that are due within a minute count. Default: 16.
   */
  readonly maxHops?: number | undefined;
  /** A store in place of the table, for tests, such as a `MemoryStore`. Default: the table. */
  readonly store?: ClientStore | undefined;
}

/**
 * The records of a store, as a client uses them. A client that inserts only needs no more than `insert`.
 *
 * @inline
 */
export interface ClientStore {
  /** `insert`, and for `get`, `list` and `cancel` of the client `get`, `list`, `change` and `note`. */
  readonly records: Pick<RecordStore, 'insert'> & Partial<LookUp>;
}

/** @inline */
export interface LookUp extends Pick<OperatorRecordStore, 'get' | 'list' | 'change' | 'note'> {}

/** The selection of `list`. */
export interface ListOptions {
  /** The queue that they are in. */
  readonly queue: string;
  /** `NEW` and `ERROR` wait, `DEAD` was given up. Of `SUCCESS` there is no list: ask for a record by its id. */
  readonly status: Exclude<Status, 'SUCCESS'>;
  /** Records at most. Default: all. */
  readonly limit?: number | undefined;
}

/** Options of `cancel`. */
export interface CancelOptions {
  /** The reason in a few words; kept on the record as its `deadReason`, behind `cancelled: `. Default: `by its producer`. */
  readonly reason?: string | undefined;
}

/** Options of `heartbeat`. */
export interface HeartbeatOptions {
  /** The longest wait from now, up to 365 days. Default: the timeout that the attempt gave. */
  readonly timeout?: Duration | undefined;
}

/** Options of `wait`. */
export interface WaitOptions {
  /** The longest wait, from 0 seconds to a day. Default: 30 seconds. */
  readonly timeout?: Duration | undefined;
  /** Ends the wait: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `insertMany` for records as they are. */
export interface InsertManyOptions extends Delay {
  /** Records under way at once, 1 to 1,000, in requests of up to 25. Default: 100. */
  readonly concurrency?: number | undefined;
  /** Called after every record with the counts so far. */
  readonly onProgress?: ((progress: InsertProgress) => void) | undefined;
  /**
   * Ends the insertion with an InsertInterruptedError: what is under way is finished, no more is taken from the source,
   * and what is throttled is not sent again.
   */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The same for many records of a task; each of them may say something else.
 *
 * @inline
 */
export interface TaskInsertManyOptions<Input = unknown, Priority extends string = string>
  extends Omit<TaskInsertOptions<Input, Priority>, 'id'>,
    InsertManyOptions {}

/** @inline */
export type Source<Element> = Iterable<Element> | AsyncIterable<Element>;

/**
 * Checks a source of records.
 *
 * @param method the method that was given it, for the error
 * @throws ConfigurationError for what is none
 */
export function sourceOf(given: unknown, method: string): Source<unknown> {
  const isSource =
    typeof given === 'object' &&
    given !== null &&
    (Symbol.iterator in given || Symbol.asyncIterator in given);
  if (isSource) return given as Source<unknown>;
  throw new ConfigurationError(
    `${method}: expected an array, or another source of records, got ${show(given)}`,
  );
}

export const optionsSchema = z
  .strictObject({
    table: tableName,
    ...connectionShape,
    maxHops: z._default(z.int().check(z.minimum(1), z.maximum(1000)), DEFAULT_MAX_HOPS),
    indexAtOnce: z._default(
      z.union([z.boolean(), z.array(z.string().check(z.regex(QUEUE_PATTERN)))], {
        error: 'expected true, false or names of queues',
      }),
      false,
    ),
    store: z.optional(storeWith<ClientStore>('insert')),
  })
  .check(clientAlone);

const delaySchema = { delay: z.optional(z.unknown()), at: z.optional(z.unknown()) };
export const insertSchema = z.strictObject(delaySchema);
export const flowOptions = {
  concurrency: z._default(z.int().check(z.minimum(1), z.maximum(1000)), 100),
  onProgress: z.optional(
    z.custom<(progress: InsertProgress) => void>(
      (value) => typeof value === 'function',
      'expected a function',
    ),
  ),
  signal: z.optional(withMethod<AbortSignal>('addEventListener', 'AbortSignal')),
};
export const flowSchema = z.strictObject(flowOptions);
export const idSchema = z.string().check(z.minLength(1));
export const cancelSchema = z.strictObject({
  reason: z._default(z.string().check(z.minLength(1)), 'by its producer'),
});
export const heartbeatSchema = z.strictObject({
  timeout: z.optional(duration({ above: 0, most: MAX_WAIT_SECONDS })),
});
export const waitSchema = z.strictObject({
  timeout: z._default(duration({ most: 86_400 }), 30),
  signal: z.optional(withMethod<AbortSignal>('addEventListener', 'AbortSignal')),
});
export const listSchema = z.strictObject({
  queue: z.string().check(z.regex(QUEUE_PATTERN, `expected ${QUEUE_NAME}`)),
  status: z.enum(['NEW', 'ERROR', 'DEAD'], {
    error: 'expected "NEW", "ERROR" or "DEAD" (a record that succeeded is in no index: ask for it by its id)',
  }),
  limit: z.optional(z.int().check(z.minimum(1))),
});
export const insertManySchema = z.strictObject({ ...delaySchema, ...flowOptions });
