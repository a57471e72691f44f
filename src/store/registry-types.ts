import type { RetryPolicy } from '../policies/index.js';
import type { RetryMode } from '../record/index.js';

/** Which function serves a queue. */
export interface QueueOwner {
  /** By default the name of the stack that the function is part of. */
  readonly owner: string;
  /**
   * The ARN of the function; `external` at its end, if processes attempt the queue. Absent: the queue was handed over, and no run
   * of its new owner has registered yet.
   */
  readonly function?: string | undefined;
  /** How the queue retries. */
  readonly retryMode: RetryMode;
  /** Lanes that its records are spread over. Default: 1. */
  readonly shards?: number | undefined;
  /** Its policy. Default: that of its retry mode. */
  readonly retry?: RetryPolicy | undefined;
  /** The intake may have the function attempt records on insertion. Default: false. */
  readonly onArrival?: boolean | undefined;
  /** Of the function, in seconds. */
  readonly timeout?: number | undefined;
  /** When the owner last confirmed it, or it was handed over; the backlog's time, ISO-8601. */
  readonly at: string;
  /** When the owner was found to have given the queue up; the backlog's time, ISO-8601. */
  readonly removedAt?: string | undefined;
}

/** The owners of all queues. */
export interface Registry {
  /** New at every change. Empty: there is no registry, or it is damaged. */
  readonly rev: string;
  /** By the name of the queue. */
  readonly queues: ReadonlyMap<string, QueueOwner>;
  /** Which region is active until an operator makes another one so. Absent: the backlog is in one region. */
  readonly primaryRegion?: string | undefined;
}

/** Which region's functions attempt records, where the tables have replicas in others. Times are of the backlog. */
export interface ActiveRegion {
  /** Such as `eu-central-1`. */
  readonly region: string;
  /** Its functions begin at that time; until then, none attempts anything. Epoch milliseconds. */
  readonly from: number;
  /** When an operator wrote it. Epoch milliseconds. */
  readonly at: number;
  /** The region that was active before. */
  readonly before: string;
}
