import type { RetryPolicy } from '../policies/index.js';
import type { RetryMode } from '../record/index.js';

/** The owner of a queue: the function that serves it, as it has registered itself. */
export interface QueueOwner {
  /** The owner's name. Default: that of the stack that the function is part of. */
  readonly owner: string;
  /**
   * The ARN of the function; `external` at its end, if processes attempt the queue. Absent: the queue was handed over, and no run
   * of its new owner has registered yet.
   */
  readonly function?: string | undefined;
  /** The queue's retry mode. */
  readonly retryMode: RetryMode;
  /** Lanes that its records are spread over. Default: 1. */
  readonly shards?: number | undefined;
  /** Records of a key of which many come do not delay those of others. Default: false. */
  readonly fairness?: boolean | undefined;
  /** Records of a key are attempted one after another. Any process may have written another value. Default: in no order. */
  readonly order?: 'key' | undefined;
  /** The queue's policy. Default: that of its retry mode. */
  readonly retry?: RetryPolicy | undefined;
  /** The intake may have the function attempt records on insertion. Default: false. */
  readonly onArrival?: boolean | undefined;
  /** The function's timeout, in seconds. */
  readonly timeout?: number | undefined;
  /** The time at which the owner last confirmed the entry, or the queue was handed over; the backlog's time, ISO-8601. */
  readonly at: string;
  /** The time at which the owner was found to have given the queue up; the backlog's time, ISO-8601. */
  readonly removedAt?: string | undefined;
}

/** The owners of all queues. */
export interface Registry {
  /** A token that is new at every change. Empty: there is no registry, or it is damaged. */
  readonly rev: string;
  /** The owners, by queue. */
  readonly queues: ReadonlyMap<string, QueueOwner>;
  /** The region that is active until an operator makes another one so. Absent: the backlog is in one region. */
  readonly primaryRegion?: string | undefined;
}

/** The region whose functions attempt the records of global tables. Times are of the backlog. */
export interface ActiveRegion {
  /** The region's name, such as `eu-central-1`. */
  readonly region: string;
  /** The time at which its functions begin; until then, no function attempts anything. Epoch milliseconds. */
  readonly from: number;
  /** The time at which an operator wrote it. Epoch milliseconds. */
  readonly at: number;
  /** The region that was active before. */
  readonly before: string;
}
