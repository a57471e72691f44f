import type { ResolvedPolicy, TierBand } from '../policies/index.js';
import type { BacklogRecord, HistoryLimits, RetryMode, TypedOutcome } from '../record/index.js';
import type { Clock } from '../support/clock.js';
import type { AttemptLogger } from '../support/logger.js';
import type { FailureChoices, RecordChoices } from './failures/decisions.js';
import type { Redaction } from './failures/history.js';
import type { BreakerOptions, RunLimits } from './queue-options.js';
import type { StopReason } from './stop-reason.js';

/** The context of an attempt, which a `process` function gets beside the record. */
export interface AttemptContext {
  /** Aborted when the attempt's time is up: stop then. */
  readonly signal: AbortSignal;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /**
   * Names this attempt to those outside that are to complete it, see `Pending`. It is known before the attempt has an outcome, so it may be
   * sent along with a request. The next attempt has another one.
   */
  readonly token: string;
  /** Writes structured JSON lines into the function's log. */
  readonly logger: AttemptLogger;
  /**
   * The trace of the record, as a header `traceparent` of W3C Trace Context, to be sent on. With `openTelemetry`: that of
   * the attempt's span. Absent: the record has none.
   */
  readonly traceparent?: string | undefined;
}

/**
 * Does the work of one record. Returning (nothing) is success, throwing is failure; `Done`, `RetryAfter`, `Snooze`,
 * `Cancel` and `Dead`, returned or thrown, say more. `record.id` is the idempotency key: attempts are at-least-once.
 *
 * `Payload` is what the queue's producers store, as far as this code knows. Nothing checks it: a task with a `schema` does.
 */
export type Process<Payload = unknown> = {
  // A method, so that a function of a `BacklogRecord<Order>` is a Process, too.
  /** Does the work of one record. */
  of(record: BacklogRecord<Payload>, context: AttemptContext): ProcessResult | Promise<ProcessResult>;
}['of'];

/** @inline */
// biome-ignore lint/suspicious/noConfusingVoidType: a process function that returns nothing is the usual case
export type ProcessResult = void | TypedOutcome;

/**
 * Names the destination of a record: records of one destination fail and recover together. The name is stored and
 * logged, so it must hold no secret.
 *
 * @inline
 */
export type DestinationOf<Payload = unknown> = {
  of(record: BacklogRecord<Payload>): string;
}['of'];

/** Time that a function needs beside one attempt: to read a page, to settle, to give the lease back. */
export const MIN_SPARE_SECONDS = 15;

/**
 * A batch of records that have just come.
 *
 * @inline
 */
export interface Arrivals {
  /** The name of the batch: if it is delivered twice, it is attempted once. */
  readonly batch: string;
  /** The ids of the records. */
  readonly ids: readonly string[];
  /** The number of records, the first ones, whose keys are not busy. Default: no key is. */
  readonly light?: number | undefined;
}

/** The records to drain: one lane of one queue; on a progressive queue, of one tier. */
export interface RunTarget {
  /** The queue's name. */
  readonly queue: string;
  /** The partition of the index: the queue's name; `orders#1` of a queue with shards. */
  readonly lane: string;
  /** Several lanes of the queue, one for each of some shards, instead of `lane`. */
  readonly lanes?: readonly string[] | undefined;
  /** The number of shards of the queue. Default: 1. */
  readonly shards?: number | undefined;
  /** Keys of which many records come do not delay others. Default: false. */
  readonly fairness?: boolean | undefined;
  /** Records of a key are attempted one after another, by their numbers. Default: in no order. */
  readonly order?: 'key' | undefined;
  /** The lanes of busy keys, which are drained beside `lanes`. Default: there are none. */
  readonly busyLanes?: readonly string[] | undefined;
  /** The number of this run, if several share the queue's shards. Default: it is the only one. */
  readonly part?: number | undefined;
  /** The first due time to drain, epoch milliseconds, of those kept to the second alone. Default: all that is due. */
  readonly exactSince?: number | undefined;
  /** The ages that a progressive queue's run attempts, from `tierBands`. Default: none, the queue retries per record. */
  readonly band?: TierBand | undefined;
  /** The mode of a progressive queue's run without an age band. Default: as `band` says. */
  readonly retryMode?: RetryMode | undefined;
  /** Records that were just inserted and are not indexed yet, in place of what is due in the lane. */
  readonly arrivals?: Arrivals | undefined;
  /** The first tier of a progressive queue, which looks again at arrivals that had no room. */
  readonly firstBand?: TierBand | undefined;
  /** Slower tiers whose missed or cut-short runs this run makes up for (on the hourly rule). */
  readonly catchUp?: readonly TierBand[] | undefined;
}

/** One run: what to drain, how to attempt a record, and for how long. */
export interface RunOptions extends FailureChoices {
  /** The records to drain. */
  readonly target: RunTarget;
  /** Does the work of one record. */
  readonly process: Process;
  /** The retry policy, of `resolvePolicy`; a record's own comes before it. */
  readonly policy: ResolvedPolicy;
  /**
   * Choices for one record, which come before those given here, and after its own policy. If it throws, the log says so.
   */
  readonly decisionsFor?: ((record: BacklogRecord) => RecordChoices | undefined) | undefined;
  /**
   * Tells whether `process` knows what to do with a record. Those it does not know wait, unattempted. Default: it knows all.
   */
  readonly knows?: ((record: BacklogRecord) => boolean) | undefined;
  /** The tasks that `process` performs, for messages about the others. Default: not known. */
  readonly taskNames?: readonly string[] | undefined;
  /** Limits of attempts: at once, per second, in all, and in time. */
  readonly limits: RunLimits;
  /**
   * Time of one attempt where attempts may go on without their run; `limits.attemptTimeout` is then what they have under
   * its lease. In seconds.
   *
   * @internal
   */
  readonly longestAttempt?: number | undefined;
  /** The circuit breaker. Default: none, every record that is due is attempted. */
  readonly breaker?: BreakerOptions | undefined;
  /** Names the destination of a record. Default: all records of the queue go to the same one. */
  readonly destination?: DestinationOf | undefined;
  /**
   * Returns the reason why the run must leave the queue alone. It is asked once the run has found something to do, and before
   * it holds anything. Default: it may attempt what is due.
   *
   * @internal
   */
  readonly ownershipConflict?: (() => Promise<OwnershipConflict | undefined>) | undefined;
  /**
   * Tells whether another region has become the active one. It is asked before each page, and at each renewal of a long
   * attempt. Leases keep another owner from the records, but not another region. Default: the backlog is in one region.
   *
   * @internal
   */
  readonly isPassive?: (() => Promise<boolean>) | undefined;
  /**
   * The function's request id, by which Lambda reports that the run has died: what it held then ends at once. Default: a
   * lost run's leases run out.
   *
   * @internal
   */
  readonly invocation?: string | undefined;
  /** Real time, epoch milliseconds, at which the function is ended from outside. The run ends before it. */
  readonly deadline: number;
  /**
   * Ends the run before its deadline: no attempt begins any more. The signal of those that do not end by themselves within
   * `stopGraceSeconds` is aborted, and they are not counted as failures.
   */
  readonly stop?: AbortSignal | undefined;
  /** Time of running attempts after `stop`, before their signal is aborted. Default: 0.2 s, as Lambda gives little. */
  readonly stopGraceSeconds?: number | undefined;
  /** The function's timeout, for which an earlier run may still be at work. */
  readonly functionTimeoutSeconds: number;
  /** Time between two runs of the rule. */
  readonly tickSeconds: number;
  /** Time for which a record is kept after its success, in seconds. Undefined: for ever. */
  readonly retention?: number | undefined;
  /** Limits of the history that a record keeps. Default: 512 bytes, 20 entries. */
  readonly history?: HistoryLimits | undefined;
  /** Decides which texts of an outcome are kept. Default: all, without stacks. */
  readonly redaction?: Redaction | undefined;
  /** Tells whether lines of failed attempts have the texts of errors, as a record keeps them. Default: their names alone. */
  readonly logsErrorTexts?: boolean | undefined;
  /** Tells whether failed attempts have a line with the places of their stack, on a developer's machine. Default: false. */
  readonly logsStacks?: boolean | undefined;
  /** Attempts have no time limit, as a debugger may stop them, on a developer's machine. Default: false. */
  readonly isDebugged?: boolean | undefined;
}

/**
 * The queue has another owner, or another region attempts its records.
 *
 * @internal
 */
export type OwnershipConflict = Extract<StopReason, 'notOwner' | 'passiveRegion'>;

/** Tells whether a run has too little time left for one more attempt, and what comes with it. */
export function isShortOfTime(
  { limits, deadline, stop }: Pick<RunOptions, 'limits' | 'deadline' | 'stop'>,
  clock: Clock,
): boolean {
  const leastMs = (limits.attemptTimeout + MIN_SPARE_SECONDS) * 1000;
  return stop?.aborted === true || clock.wall() + leastMs > deadline;
}
