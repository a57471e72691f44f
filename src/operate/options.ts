import type { Delay } from '../client/delay.js';
import type { RetryPolicy } from '../policies/index.js';
import type { Item } from '../record/index.js';
import type { Duration } from '../support/duration.js';
import type { OperationProgress } from './result.js';
import type { Selection } from './selection.js';

/**
 * One id, a list of ids, or a selection.
 *
 * @inline
 */
export type Which = string | readonly string[] | Selection;

/** Options of every action. All optional. */
export interface OperationOptions {
  /** Counts, and changes nothing. Default: `false`. */
  readonly dryRun?: boolean | undefined;
  /** Records changed per second at most. Default: no limit. */
  readonly perSecond?: number | undefined;
  /** Records changed at most. Default: no limit. */
  readonly limit?: number | undefined;
  /** Writes at once, 1 to 1,000. Default: 25. */
  readonly concurrency?: number | undefined;
  /** Called after each page with the counts so far. Default: none. */
  readonly onProgress?: ((progress: OperationProgress) => void) | undefined;
  /** Called when DynamoDB throttles, or does not answer: the action waits, for half a minute. Default: none. */
  readonly onTrouble?: ((message: string) => void) | undefined;
  /** Ends the action after the writes at hand. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Attributes of the record as it was seen, for one id: if one has another value by now, the record is left.
   *
   * Its `rev` is enough, `{ rev }`: every write of this library renews it. A record without a `rev` has not been written by
   * this library: give the whole item. A record that is left is counted as `changedMeanwhile`. Default: any.
   */
  readonly expected?: Item | undefined;
}

/** @inline */
export interface RedriveOptions extends OperationOptions {
  /** The queue that they go into. Default: each one's own. */
  readonly queue?: string | undefined;
  /** Their own policy from now on; `null`: none, that of the queue holds. Default: unchanged. */
  readonly retry?: RetryPolicy | null | undefined;
}

/** @inline */
export interface DiscardOptions extends OperationOptions {
  /** The reason, kept as the record's `deadReason` behind `discarded: `. */
  readonly reason?: string | undefined;
  /** The time that the record stays visible. Default: 30 days. */
  readonly retention?: Duration | 'forever' | undefined;
  /** Removes it from the table at once, permanently. Default: false. */
  readonly delete?: boolean | undefined;
}

/** @inline */
export interface SnoozeOptions extends OperationOptions, Delay {}

/** @inline */
export interface MoveOptions extends OperationOptions {
  /** The queue that they go into. */
  readonly queue: string;
}

/** @inline */
export interface EditOptions extends OperationOptions {
  /** The new payload. */
  readonly payload?: unknown;
  /** A JSON merge patch for the present payload (RFC 7396), in place of `payload`: an object, in which `null` removes. */
  readonly merge?: Readonly<Record<string, unknown>> | undefined;
  /** Makes dead records wait again as well. Default: false. */
  readonly redrive?: boolean | undefined;
}

/** @inline */
export interface ChangePolicyOptions extends OperationOptions {
  /** The policy; `null`: that of its queue. */
  readonly retry: RetryPolicy | null;
}

/** @inline */
export interface ExportOptions {
  /** Items at most. Default: no limit. */
  readonly limit?: number | undefined;
  /** Called when DynamoDB throttles, or does not answer: the export waits, for half a minute. */
  readonly onTrouble?: ((message: string) => void) | undefined;
  /** Ends the export. */
  readonly signal?: AbortSignal | undefined;
}

/** @inline */
export interface PauseOptions {
  /**
   * The time until which no alarm says that the queue is late: a `Date`, ISO-8601 with its zone, a time of day in UTC such as
   * `"16:00Z"`, or a duration from now such as `"2h"`. The queue stays paused beyond it; the pause of a key ends. Default: none.
   */
  readonly until?: Date | string | undefined;
  /** The reason, for other operators: up to 200 characters on one line. Default: none. */
  readonly reason?: string | undefined;
  /** The name of the operator, in the same form. Default: none. */
  readonly by?: string | undefined;
}

/** @inline */
export interface StatsOptions {
  /** Names of queues. Default: those that runs have served, operators paused or functions registered. */
  readonly queues?: readonly string[] | undefined;
  /** Names of queues beside those. Default: none. */
  readonly alsoQueues?: readonly string[] | undefined;
  /** Ends the wait for a DynamoDB that throttles: its error is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** @inline */
interface OutsideEndOptions {
  /** The token of the attempt. Default: that with which the record waits now. */
  readonly token?: string | undefined;
}

/** @inline */
export interface CompleteOptions extends OutsideEndOptions {
  /** The value that the record keeps: anything that JSON can hold, up to 1,024 bytes of it. Default: none. */
  readonly result?: unknown;
}

/** @inline */
export interface FailOptions extends OutsideEndOptions {
  /** The error, or its message; kept on the record as its `lastError`. */
  readonly error: unknown;
}

/** @inline */
export interface ProlongOptions extends OutsideEndOptions {
  /** The longest wait from now, up to 365 days. Default: the timeout that the attempt gave. */
  readonly timeout?: Duration | undefined;
}
