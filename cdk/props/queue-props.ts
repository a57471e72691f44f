import type { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { OrderOptions } from '../../src/lines/order-options.js';
import type { RetryPolicy } from '../../src/policies/index.js';
import type { HistoryOptions, LaneOptions, QueueOptions } from '../../src/worker/index.js';
import type { QueueAlarms } from './alarm-props.js';
import type { DeliveryProps } from './delivery-props.js';
import type { EntryFunctionProps } from './function-props.js';

/**
 * The start of the first attempt: on the record's insertion, or when the rule finds it.
 *
 * @inline
 */
export type FirstAttempt = 'onInsert' | 'scheduled';

/**
 * One queue. It needs exactly one of `deliverTo`, `entry`, `handler` and `worker` to do the work (none only if `enabled`
 * is false), and takes at most one of `retry` and `progressive`. The props of Lambda functions (`vpc`, `memorySize`,
 * `role`, ...) are for the function that is made from `entry`.
 */
export interface QueueProps
  extends EntryFunctionProps,
    QueueOptions<Duration>,
    LaneOptions,
    OrderOptions<Duration> {
  /**
   * A due time per record: a failure sets it by this policy. The queue is polled every minute.
   *
   * @default - `{ type: 'fibonacci' }`, unless it is `progressive`
   */
  readonly retry?: RetryPolicy | undefined;

  /**
   * One rule per tier, each with its own interval and ages: `true` for the default tiers.
   *
   * The default tiers are from every 5 minutes up to one day of age to every 8 days up to 360.
   *
   * @default - a due time per record, as `retry` says
   */
  readonly progressive?: true | ProgressiveProps | undefined;

  /**
   * Names of errors that a retry cannot help, such as `ValidationError`: such a failure makes the record dead at once.
   *
   * The name of a class stands for the classes derived from it, too.
   *
   * @default - none
   */
  readonly deadOn?: readonly string[] | undefined;

  /**
   * The attempts that a record keeps: their size, their number, and stack traces or none.
   *
   * Every byte is billed at every write.
   *
   * @default - 512 bytes, 20 entries, no stacks
   */
  readonly history?: HistoryProps | undefined;

  /**
   * A URL to which the built-in function POSTs each payload: `https`, or `http` to the same machine. Or an object with a URL
   * and further options.
   *
   * The record's id is sent as `Idempotency-Key`. The URL is readable in the function's configuration: do not put a secret into
   * it.
   *
   * @default - none
   */
  readonly deliverTo?: string | DeliveryProps | undefined;

  /**
   * A module that exports `handler = backlogHandler({ ... })`, bundled by esbuild. The path is absolute or relative to the
   * working directory.
   *
   * @default - none
   */
  readonly entry?: string | undefined;

  /**
   * One of the Backlog's `workers`: a function that serves other queues as well. Or `"external"`: no function, processes of
   * yours attempt the queue.
   *
   * Such processes run `backlog work`, in containers for example. See `Backlog.workEnvironment` and `grantWork`.
   *
   * @default - none
   */
  readonly worker?: string | undefined;

  /**
   * The queue's share of the attempts of its `worker`, relative to the other queues, while all have work.
   *
   * The run draws the queue of each page by the weights if they differ. It drains all queues at once if they are equal.
   *
   * @default 1
   */
  readonly weight?: number | undefined;

  /**
   * Environment variables of the function made from `entry`.
   *
   * The library's own names keep the library's values.
   *
   * @default - none
   */
  readonly environment?: Readonly<Record<string, string>> | undefined;

  /**
   * A function of your own, of this queue alone, whose code is a `backlogHandler`.
   *
   * It gets the library's environment variables, settings for asynchronous invocation and rights, as far as it is a function of
   * this CDK app.
   *
   * @default - none
   */
  readonly handler?: IFunction | undefined;

  /**
   * Rules or schedules that fire. `false`: they do not, and nothing is attempted.
   *
   * @default true
   */
  readonly enabled?: boolean | undefined;

  /**
   * The first attempt of a record that was put without `lane`: `"onInsert"` within about a second, `"scheduled"` when the rule
   * finds it.
   *
   * On insertion, up to `onInsertConcurrency` runs work at once beside the rule's run, and a success is the record's only write
   * after its insertion. A `handler` whose asynchronous invocation is configured elsewhere has no such runs, as their lost
   * events would not come back.
   *
   * @default - `"onInsert"`; `"scheduled"` with `worker: "external"`, or a `handler` whose asynchronous invocation is
   * configured elsewhere
   */
  readonly firstAttempt?: FirstAttempt | undefined;

  /**
   * Metrics of the five keys with most waiting records, read every five minutes from a sample.
   *
   * Up to twelve metrics at a time, of $0.30 a month each. It needs the metrics `full`, and the monitor of this Backlog.
   *
   * @default false
   */
  readonly metricsPerKey?: boolean | undefined;

  /**
   * The thresholds of the queue's alarms; `false`: it has none.
   *
   * @default - the default of each
   */
  readonly alarms?: QueueAlarms | false | undefined;
}

/** The attempts that a record keeps. */
export type HistoryProps = Omit<HistoryOptions, 'redact'>;

/** One tier: the interval of the attempts up to an age. */
export interface TierProps {
  /** The time between two attempts; whole minutes. */
  readonly every: Duration;
  /** The age, counted from the insertion, at which the next tier begins, or the record is dead. */
  readonly untilAge: Duration;
}

/** A schedule by age. */
export interface ProgressiveProps {
  /**
   * The tiers in ascending order of their ages: how often records are attempted, up to which age. Intervals are whole
   * minutes.
   *
   * @default - six tiers: 5 minutes up to 1 day, 1 hour to 7 days, 12 hours to 14, 24 hours to 30, 96 hours to 180, 192
   * hours to 360
   */
  readonly tiers?: readonly TierProps[] | undefined;

  /**
   * Attempts in all, the first one included.
   *
   * @default - no limit; a record older than the last tier is dead
   */
  readonly maxAttempts?: number | undefined;
}
