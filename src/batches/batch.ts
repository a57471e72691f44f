import type { BacklogRecord } from '../record/index.js';
import type { TypedOutcome } from '../record/outcome.js';
import type { AttemptLogger } from '../support/logger.js';
import type { TaskContext } from '../tasks/index.js';
import type { AttemptContext, ProcessResult } from '../worker/index.js';

/** The second argument of a function that does the work of a batch. */
export interface BatchContext {
  /** Aborted when the time of the first attempt of the batch is up, or the process is to end: stop then. */
  readonly signal: AbortSignal;
  /** Writes structured JSON lines into the function's log. */
  readonly logger: AttemptLogger;
  /** Returns the context of one record's attempt: its number, its `token` for `Pending`, its trace. */
  attemptOf(record: Pick<BacklogRecord, 'id'>): AttemptContext;
}

/**
 * The outcome of one record of a batch: `Done`, `RetryAfter`, `Snooze`, `Pending`, `Cancel` or `Dead`; an error, which is a failure;
 * or what `Promise.allSettled` gives for it.
 *
 * @inline
 */
export type RecordOutcome = TypedOutcome | Error | PromiseSettledResult<ProcessResult>;

/**
 * The outcomes of a batch: a list in the order of the records, a map by id, or the ids of those that have failed, as Lambda takes
 * them from handlers of SQS.
 *
 * @inline
 */
export type BatchResult = readonly RecordOutcome[] | ReadonlyMap<string, RecordOutcome> | BatchItemFailures;

/** The records of a batch that have failed, as Lambda takes them from handlers of SQS. The others have succeeded. */
export interface BatchItemFailures {
  /** One for each of them. */
  readonly batchItemFailures: readonly {
    /** The record's id. */
    readonly itemIdentifier: string;
  }[];
}

/** Does the work of several records in one call. Throwing says that the call has failed as a whole. */
export type ProcessBatch<Payload = unknown> = {
  /** Does the work of several records in one call. */
  of(records: readonly BacklogRecord<Payload>[], context: BatchContext): BatchResult | Promise<BatchResult>;
}['of'];

/** The limits of batches, and the clock and the chance that they depend on. */
export interface BatchSettings {
  readonly maxRecords: number;
  /** `maxRecords` as the user has given it. Undefined: it has its default. */
  readonly givenMaxRecords?: number | undefined;
  readonly maxBytes: number;
  readonly maxWaitMs: number;
  readonly by?: ((record: BacklogRecord) => string) | undefined;
  /** Waits in real time, until the signal is aborted at the latest. For tests. Default: the system's. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds of a clock. For tests. Default: the system's. */
  readonly now?: (() => number) | undefined;
  /** A number from 0 up to 1. For tests. Default: the system's. */
  readonly random?: (() => number) | undefined;
}

/** One attempt that is part of a batch. `resolve` and `reject` end its `process`. */
export interface Member {
  readonly record: BacklogRecord;
  readonly context: AttemptContext;
  resolve(value: ProcessResult | PromiseLike<ProcessResult>): void;
  reject(thrown: unknown): void;
}

/** A `process`, and a task's `perform`, that does its work in batches. */
export interface InBatches<Payload = unknown> {
  (record: BacklogRecord<Payload>, context: AttemptContext): Promise<ProcessResult>;
  (payload: Payload, context: TaskContext): Promise<ProcessResult>;
}
