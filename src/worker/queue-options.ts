import * as z from 'zod/mini';
import { MAX_WAIT_SECONDS } from '../policies/index.js';
import { DEFAULT_MAX_RETRY_AFTER_SECONDS } from '../record/index.js';
import { type Duration, duration } from '../support/duration.js';
import { retryQueueName } from './failures/decision-options.js';

// The options that a queue of the CDK app, the code of its handler and a queue under test have in common. Each is declared here
// and nowhere else: its type, its meaning, its default, and what it may be.

/**
 * Limits of the runs of a queue.
 *
 * @typeParam Length how lengths of time are written: in seconds, as text, or as the CDK's `Duration`
 */
export interface LimitOptions<Length = number> {
  /**
   * Attempts at once in a run, all shards together: 1 to 1,000, and at most 100 in a lane. Up to `onInsertConcurrency` runs on
   * arrival work at the same time, with as many attempts each. Default: 10.
   */
  readonly concurrency?: number | undefined;
  /**
   * Attempts at once in all runs of the queue together, runs on arrival included.
   *
   * It costs two write units per run. Default: no limit but that of each run.
   */
  readonly globalConcurrency?: number | undefined;
  /**
   * Attempts at once of the records of one `key`, such as a customer, in all runs of the queue together.
   *
   * It needs `fairness: true` in the CDK app: the records of a key that is at its limit wait in a lane of their own. It costs two
   * write units per run. Default: no limit for a key.
   */
  readonly concurrencyPerKey?: number | undefined;
  /**
   * Runs at once that attempt records as they are inserted, each with `concurrency`.
   *
   * Records that are inserted while so many are at work are indexed, and an ordinary run attempts them within seconds. Default:
   * 10.
   */
  readonly onInsertConcurrency?: number | undefined;
  /** Attempts started per second in all runs of the queue together, runs on arrival included. Default: no limit. */
  readonly attemptsPerSecond?: number | undefined;
  /**
   * Attempts of the records of one `key` started per second, in all runs of the queue together. `0.5` is one in two seconds.
   *
   * It needs `fairness: true` in the CDK app: the records of a key that is at its limit wait in a lane of their own. It costs one
   * write unit for each key of a batch, or of a page. Default: no limit for a key.
   */
  readonly attemptsPerSecondPerKey?: number | undefined;
  /**
   * Time of one attempt: at least 15 seconds less than the function's timeout, and up to 24 hours in a process of yours. Default: 30
   * seconds.
   */
  readonly attemptTimeout?: Length | undefined;
  /** Attempts in one run. Default: no limit. */
  readonly maxRecords?: number | undefined;
  /**
   * The longest `Retry-After` that is kept, of a destination or of a handler.
   *
   * Longer ones are cut to it, to the policy's `maxWait`, and to what is left of the record's `maxAge`. Default: 1 day.
   */
  readonly maxRetryAfter?: Length | undefined;
  /**
   * While records fail without recovery, one that waits is attempted ahead of its time after 5 minutes without an attempt.
   *
   * It is how a run notices that a destination is back. A progressive queue makes no probes. Default: true.
   */
  readonly probes?: boolean | undefined;
}

/**
 * Options of a queue: the CDK app may give them, and the code of its handler, which comes first.
 *
 * @typeParam Length how lengths of time are written: in seconds, as text, or as the CDK's `Duration`
 */
export interface QueueOptions<Length = number> extends LimitOptions<Length> {
  /**
   * Another queue of the same backlog, into which a failure moves a record that is to be retried.
   *
   * The record then follows the retry mode and policy of that queue. Default: none.
   */
  readonly retryQueue?: string | undefined;
  /**
   * A circuit breaker, which opens when too many attempts fail. `true` takes the defaults of its options.
   *
   * While it is open, one record is attempted now and then, and it closes when such an attempt does not fail. Default: none.
   */
  readonly breaker?: BreakerChoice | undefined;
  /** The time that a record is kept after its success, or `"forever"`. Default: 30 days. */
  readonly retention?: Length | 'forever' | undefined;
}

/**
 * Settings of a circuit breaker.
 *
 * @inline
 */
interface BreakerSettings {
  /** The share of failed attempts that opens it, above 0 and up to 1. Default: 0.5. */
  readonly failureThreshold?: number | undefined;
  /** Attempts in the window without which it does not open. Default: 10. */
  readonly minimumAttempts?: number | undefined;
  /** The time whose attempts are counted, 1 second to 1 hour. Default: 60 seconds. */
  readonly window?: Duration | undefined;
  /** The time after which one attempt probes the destination, 1 second to 1 hour. Default: 50 seconds. */
  readonly halfOpenAfter?: Duration | undefined;
}

/**
 * A circuit breaker as it is written down: `true` for the defaults of all its options.
 *
 * @inline
 */
export type BreakerChoice = boolean | BreakerSettings;

/** The options of a breaker, with their defaults filled in. Times are in seconds. */
export type BreakerOptions = { readonly [Name in keyof BreakerSettings]-?: number };

/** The defaults of those that have one as a value. Times are in seconds. */
export const QUEUE_DEFAULTS = {
  /** Attempts of a run at once. */
  concurrency: 10,
  /** Attempts at once on insertion. */
  onInsertConcurrency: 10,
  /** Seconds until an attempt is given up. */
  attemptTimeout: 30,
  /** Longest `Retry-After` that is taken as it is. */
  maxRetryAfter: DEFAULT_MAX_RETRY_AFTER_SECONDS,
  /** Records of what fails are probed. */
  probes: true,
  /** Seconds that a record is kept after its success, or its death. */
  retention: 30 * 86_400,
} as const satisfies { readonly [Name in keyof QueueOptions]: number | boolean };

const concurrency = z.int().check(z.minimum(1), z.maximum(1000));
const rate = z.optional(z.number().check(z.positive()));
/** The longest attempt, in a worker process. A function's timeout leaves no more than 885 s. */
const MAX_ATTEMPT_SECONDS = 86_400;
const attemptTimeout = duration({ above: 0, most: MAX_ATTEMPT_SECONDS });

const breakerOptions = z.strictObject({
  failureThreshold: z._default(z.number().check(z.positive(), z.maximum(1)), 0.5),
  minimumAttempts: z._default(z.int().check(z.minimum(1), z.maximum(1_000_000)), 10),
  window: z._default(duration({ least: 1, most: 3_600 }), 60),
  // Less than a minute: the run of every minute may make a probe.
  halfOpenAfter: z._default(duration({ least: 1, most: 3_600 }), 50),
});

/** `true` takes the defaults, `false` is none. */
const breakerOption = z.union([z.boolean(), breakerOptions]);

/** The schema of each option. */
export const queueOptions = {
  concurrency: z.optional(concurrency),
  globalConcurrency: z.optional(concurrency),
  concurrencyPerKey: z.optional(concurrency),
  onInsertConcurrency: z.optional(concurrency),
  attemptsPerSecond: rate,
  attemptsPerSecondPerKey: rate,
  attemptTimeout: z.optional(attemptTimeout),
  maxRecords: z.optional(z.int().check(z.minimum(1))),
  maxRetryAfter: z.optional(duration({ above: 0, most: MAX_WAIT_SECONDS })),
  probes: z.optional(z.boolean()),
  retryQueue: z.optional(retryQueueName),
  breaker: z.optional(breakerOption),
  retention: z.optional(duration({ least: 1 }, 'forever')),
} satisfies Record<keyof QueueOptions, unknown>;

/** The options that are lengths of time. */
export const TIMES = ['attemptTimeout', 'maxRetryAfter', 'retention'] as const;
export type Time = (typeof TIMES)[number];

/**
 * Limits with their defaults, in seconds.
 *
 * @inline
 */
export interface RunLimits extends LimitOptions {
  /** Attempts at once. */
  readonly concurrency: number;
  /** Time of one attempt. */
  readonly attemptTimeout: number;
}

/** Fills in the defaults of limits, and leaves out all that is none. */
export const limitsSchema = z.object({
  ...pickLimits(queueOptions),
  concurrency: z._default(concurrency, QUEUE_DEFAULTS.concurrency),
  attemptTimeout: z._default(attemptTimeout, QUEUE_DEFAULTS.attemptTimeout),
});

function pickLimits<All extends typeof queueOptions>({
  retryQueue: _,
  breaker: __,
  retention: ___,
  ...limits
}: All) {
  return limits;
}

/** The options of a queue's circuit breaker, with defaults; undefined: it has none. */
export function resolveBreaker(choice: BreakerChoice | undefined): BreakerOptions | undefined {
  if (choice === undefined || choice === false) return undefined;
  return breakerOptions.parse(choice === true ? {} : choice);
}
