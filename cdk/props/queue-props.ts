import type { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { RetryPolicy } from '../../src/policies/index.js';
import type { QueueOptions } from '../../src/worker/index.js';
import type { QueueAlarms } from './alarm-props.js';
import type { DeliveryProps } from './delivery-props.js';
import type { EntryFunctionProps } from './function-props.js';

/**
 * When a record that has just come is attempted first.
 *
 * @inline
 */
export type FirstAttempt = 'onInsert' | 'scheduled';

/**
 * One queue. It needs exactly one of `deliverTo`, `entry`, `handler` and `worker` to do the work (none only if `enabled`
 * is false), and takes at most one of `retry` and `progressive`. The props of Lambda functions (`vpc`, `memorySize`,
 * `role`, ...) are for the function that is made from `entry`.
 */
export interface QueueProps extends EntryFunctionProps, QueueOptions<Duration> {
  /**
   * A due time per record: a failure sets it by this policy. Polled every minute.
   *
   * @default - `{ type: 'fibonacci' }`, unless the queue is `progressive`
   */
  readonly retry?: RetryPolicy | undefined;

  /**
   * One rule per tier, each with its own interval and ages: `true` for the default tiers (every 5 minutes up to one
   * day of age, ..., every 8 days up to 360).
   *
   * @default - the queue has a due time per record, as `retry` says
   */
  readonly progressive?: true | ProgressiveProps | undefined;

  /**
   * Names of errors that a retry cannot help, such as `ValidationError`: such a failure makes the record dead at once. The
   * name of a class stands for the classes derived from it, too.
   *
   * @default - the policy decides about all of them
   */
  readonly deadOn?: readonly string[] | undefined;

  /**
   * What a record keeps of its attempts: bytes (512, or 2048 with stacks), entries (20), and whether stack traces are
   * kept. Every byte is billed at every write.
   *
   * @default - 512 bytes, 20 entries, no stacks
   */
  readonly history?: HistoryProps | undefined;

  /**
   * Where the built-in function sends each payload, with the record's id as `Idempotency-Key`: a URL to which it POSTs,
   * or an object with a URL and further options. The URL is `https`, or `http` to the same machine. It is readable in the
   * function's configuration: do not put a secret into it.
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
   * One of the Backlog's `workers`: a function that serves other queues as well. Or `"external"`: the queue has no function, and
   * processes elsewhere attempt it (`backlog work`), such as containers. See `Backlog.workEnvironment` and `grantWork`.
   *
   * @default - the queue has a `deliverTo`, an `entry` or a `handler` of its own
   */
  readonly worker?: string | undefined;

  /**
   * With `worker`: the queue's share of the attempts, relative to the worker's other queues, while all have work. With
   * different weights, the run draws the queue of each page by them. With equal weights, it drains all queues at once.
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
   * When a record that was put without `lane` is attempted first. `"onInsert"`: within about a second, in up to
   * `onInsertConcurrency` runs at once beside the rule's run; then a success is the record's only write after its
   * insertion. `"scheduled"`: when the rule finds it.
   *
   * @default - `"onInsert"`; `"scheduled"` for a `handler` whose asynchronous invocation is configured elsewhere, and for
   * `worker: "external"`
   */
  readonly firstAttempt?: FirstAttempt | undefined;

  /**
   * Lanes that the queue's records are spread over, by their ids: 1 to 32. Each lane is a partition of the index: 1,000
   * write units a second, or 500 records that are indexed and removed. You can change the number at any time, while
   * records wait.
   *
   * @default 1
   */
  readonly shards?: number | undefined;

  /**
   * The thresholds of the queue's alarms; `false`: it has none.
   *
   * @default - see `QueueAlarms`
   */
  readonly alarms?: QueueAlarms | false | undefined;
}

/** What a record keeps of its attempts. */
export interface HistoryProps {
  /**
   * The size of all entries together, from 200 to 16,384.
   *
   * @default 512, or 2048 with stacks
   */
  readonly bytes?: number | undefined;

  /**
   * The number of entries, from 1 to 100.
   *
   * @default 20
   */
  readonly entries?: number | undefined;

  /**
   * Whether the stack traces of errors in your code (`entry` or `handler`) are kept.
   *
   * @default false
   */
  readonly stacks?: boolean | undefined;
}

/** How often records are attempted, up to which age. */
export interface TierProps {
  /** Between two attempts; whole minutes. */
  readonly every: Duration;
  /** The age, counted from the insertion, at which the next tier begins, or the record is dead. */
  readonly untilAge: Duration;
}

/** A schedule by age. */
export interface ProgressiveProps {
  /**
   * How often records are attempted, up to which age, in ascending order. Intervals are whole minutes.
   *
   * @default - six tiers: 5 minutes up to 1 day, 1 hour to 7 days, 12 hours to 14, 24 hours to 30, 96 hours to 180,
   * 192 hours to 360
   */
  readonly tiers?: readonly TierProps[] | undefined;

  /**
   * Attempts in all, the first one included.
   *
   * @default - no limit; a record older than the last tier is dead
   */
  readonly maxAttempts?: number | undefined;
}
