import type { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { RetryPolicy, Tier } from '../src/policies/index.js';
import type { BreakerChoice } from '../src/processor/index.js';
import type { DeliveryProps } from './delivery-props.js';

/**
 * When a record that has just come is attempted first.
 *
 * @inline
 */
export type FirstAttempt = 'onInsert' | 'scheduled';

/**
 * One queue: exactly one retry mode (`retry` or `progressive`), and exactly one that does the work (`deliverTo`,
 * `entry`, `handler` or `worker`; none only if `enabled` is false).
 */
export interface QueueProps {
  /**
   * A due time per record: a failure sets it by this policy. Polled every minute.
   *
   * @default - the queue is progressive
   */
  readonly retry?: RetryPolicy | undefined;

  /**
   * One rule per tier, each with its own interval and ages: `true` for the default tiers (every 5 minutes up to one
   * day of age, ..., every 8 days up to 360).
   *
   * @default - the queue has a due time per record
   */
  readonly progressive?: true | ProgressiveProps | undefined;

  /**
   * Another queue of this Backlog, into which a failure moves a record that is to be retried. It goes on there as that
   * queue retries.
   *
   * @default - it stays
   */
  readonly retryQueue?: string | undefined;

  /**
   * Names of errors that no retry helps against, such as `ValidationError`: dead at once. The name of a class stands
   * for those derived from it, too.
   *
   * @default - the policy decides about all of them
   */
  readonly deadOn?: readonly string[] | undefined;

  /**
   * What a record keeps of its attempts: bytes (512, or 2048 with stacks), entries (20), and whether it is kept where
   * errors were thrown. Every byte is billed at every write.
   *
   * @default - 512 bytes, 20 entries, no stacks
   */
  readonly history?: HistoryProps | undefined;

  /**
   * Where the built-in function sends each payload, with the record's id as `Idempotency-Key`: a URL that it POSTs
   * to, or an object with one that says more. `https`, or `http` to this machine. It is readable in the function's
   * configuration: put no secret in it.
   *
   * @default - the queue has an `entry` or a `handler`
   */
  readonly deliverTo?: string | DeliveryProps | undefined;

  /**
   * A module that exports `handler = backlogHandler({ ... })` (from `dynamo-backlog/lambda`), bundled by esbuild. The
   * path is absolute or relative to the working directory.
   *
   * @default - the queue has a `deliverTo` or a `handler`
   */
  readonly entry?: string | undefined;

  /**
   * One of the Backlog's `workers`: a function that serves other queues as well.
   *
   * @default - the queue has a `deliverTo`, an `entry` or a `handler` of its own
   */
  readonly worker?: string | undefined;

  /**
   * With `worker`: how much of the attempts the queue gets beside the worker's other queues, where all have work. With
   * different weights each page's queue is drawn by them; with equal ones all are drained at the same time.
   *
   * @default 1
   */
  readonly weight?: number | undefined;

  /**
   * Environment variables of the function made from `entry`.
   *
   * @default - none but the library's own
   */
  readonly environment?: Readonly<Record<string, string>> | undefined;

  /**
   * A function of your own, of one queue, whose code is a `backlogHandler`. It gets the library's environment
   * variables, settings for asynchronous invocation and rights, as far as it is a function of this CDK app.
   *
   * @default - the queue has a `deliverTo` or an `entry`
   */
  readonly handler?: IFunction | undefined;

  /**
   * Whether the rules (or schedules) fire. Nothing is attempted while they do not.
   *
   * @default true
   */
  readonly enabled?: boolean | undefined;

  /**
   * When a record that was put without `lane` is attempted first: `"onInsert"`, within about a second, in up to
   * `onInsertConcurrency` runs at once beside the rule's; or `"scheduled"`, when the rule finds it. With `"onInsert"` a
   * success is the record's only write after its insertion.
   *
   * @default - `"onInsert"`; `"scheduled"` for a `handler` whose asynchronous invocation is configured elsewhere
   */
  readonly firstAttempt?: FirstAttempt | undefined;

  /**
   * Lanes that the queue's records are spread over, by their ids: 1 to 32. One is a partition of the index: 1,000 write
   * units a second, or 500 records that come and go. Can be raised and lowered at any time, with records waiting.
   *
   * @default 1
   */
  readonly shards?: number | undefined;

  /**
   * Attempts at once in the run that a rule has started, all shards together. Up to `onInsertConcurrency` runs on
   * arrivals go on beside it, with as many each.
   *
   * @default 10
   */
  readonly concurrency?: number | undefined;

  /**
   * Attempts at once in all runs of the queue together, those on arrivals included: two write units per run.
   *
   * @default - no limit but that of each run
   */
  readonly globalConcurrency?: number | undefined;

  /**
   * Runs at once that attempt records as they are inserted, each with `concurrency`. What is inserted while so many are
   * at work gets its place in the index, and is attempted by an ordinary run within seconds.
   *
   * @default 10
   */
  readonly onInsertConcurrency?: number | undefined;

  /**
   * Attempts started per second, in all runs of the queue together.
   *
   * @default - no limit
   */
  readonly attemptsPerSecond?: number | undefined;

  /**
   * Leaves the other side in peace when too many attempts fail: after that one record is tried now and then, until one
   * does not fail. `true` opens when half of at least 10 attempts within 60 s fail, and tries one every 50 s.
   *
   * @default - none: every record that is due is attempted
   */
  readonly breaker?: BreakerChoice | undefined;

  /**
   * Time of one attempt; the function's timeout must leave room for it.
   *
   * @default Duration.seconds(30)
   */
  readonly attemptTimeout?: Duration | undefined;

  /**
   * Attempts in one run.
   *
   * @default - no limit
   */
  readonly maxRecords?: number | undefined;

  /**
   * How long a run stays, asleep, for waits of less than a minute, counted from its start: up to a minute, which is until
   * the next rule fires. `Duration.seconds(0)` leaves such waits to the next minute. Of a queue with `retry`.
   *
   * @default Duration.minutes(1)
   */
  readonly linger?: Duration | undefined;

  /**
   * How long a record is kept after its success.
   *
   * @default Duration.days(30)
   */
  readonly keepSuccess?: Duration | 'forever' | undefined;

  /**
   * Lag (how late an attempt starts) above which the alarm goes off.
   *
   * @default Duration.minutes(15)
   */
  readonly lagThreshold?: Duration | undefined;
}

/** What a record keeps of its attempts. */
export interface HistoryProps {
  /**
   * Of all entries, from 200 to 16,384.
   *
   * @default 512, or 2048 with stacks
   */
  readonly bytes?: number | undefined;

  /**
   * From 1 to 100.
   *
   * @default 20
   */
  readonly entries?: number | undefined;

  /**
   * Whether it is kept where errors were thrown, in code of yours (`entry` or `handler`).
   *
   * @default false
   */
  readonly stacks?: boolean | undefined;
}

/** A schedule by age. */
export interface ProgressiveProps {
  /**
   * How often records are attempted, up to which age, in ascending order. Intervals are whole minutes.
   *
   * @default - six tiers: 5 minutes up to 1 day, 1 hour to 7 days, 12 hours to 14, 24 hours to 30, 96 hours to 180,
   * 192 hours to 360
   */
  readonly tiers?: readonly Tier[] | undefined;

  /**
   * Attempts in all, the first one included.
   *
   * @default - no limit; a record older than the last tier is dead
   */
  readonly maxAttempts?: number | undefined;
}
