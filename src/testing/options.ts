import * as z from 'zod/mini';
import type { BacklogHandlerOptions } from '../../functions/backlog-handler.js';
import type { BacklogLambdaHandler } from '../../functions/backlog-lambda-handler.js';
import type { LambdaFunction } from '../../functions/seams.js';
import type { HttpDeliveryOptions } from '../delivery/options.js';
import type { OrderOptions } from '../lines/order-options.js';
import type { RetryPolicy, Tier } from '../policies/index.js';
import type { RecurringOptions } from '../recurring/index.js';
import { type Duration, duration } from '../support/duration.js';
import { ConfigurationError } from '../support/errors.js';
import { refuseProtoName } from '../support/own-names.js';
import { parseOptions, show } from '../support/validation.js';
import type { Task } from '../tasks/index.js';
import type { LaneOptions, Process, QueueOptions, RetryFunction } from '../worker/index.js';

/**
 * One queue of a backlog under test: what does its work, and its settings, as in the CDK app. One of `handler`, `process`,
 * `tasks` and `deliverTo` is required; `process` and `tasks` may stand together.
 */
export interface TestQueue
  extends Pick<BacklogHandlerOptions, 'deadOn' | 'destination' | 'history' | keyof QueueOptions>,
    Pick<LaneOptions, 'shards'>,
    OrderOptions<Duration> {
  /** The handler that your module exports, `backlogHandler({ ... })`, or what wraps one: its middlewares are run. Default: none. */
  readonly handler?: BacklogLambdaHandler | LambdaFunction | undefined;
  /** Does the work of one record, without a handler. Then `retry` may be a function, and `deadOn` may have classes. Default: none. */
  readonly process?: Process | undefined;
  /** The tasks that are performed, without a handler. Default: none. */
  readonly tasks?: readonly Task[] | undefined;
  /** The URL of the built-in delivery by HTTP, or an object with one, to a server of your test. Without secrets. Default: none. */
  readonly deliverTo?:
    | string
    | Pick<HttpDeliveryOptions, 'url' | 'method' | 'answers' | 'requestTimeout'>
    | undefined;
  /** A due time per record, by this policy; beside `process` or `tasks` also a function. Default: that of the handler. */
  readonly retry?: RetryPolicy | RetryFunction | undefined;
  /** One rule per tier: `true` for the default tiers. Default: a due time per record. */
  readonly progressive?:
    | true
    | {
        /** The tiers, in ascending order of `untilAge`. Default: the six tiers of the CDK app. */
        readonly tiers?: readonly Tier[] | undefined;
        /** Attempts in all. Default: no limit. */
        readonly maxAttempts?: number | undefined;
      }
    | undefined;
  /** The first attempt of a record: on its insertion, or when a rule finds it. Default: `'onInsert'`. */
  readonly firstAttempt?: 'onInsert' | 'scheduled' | undefined;
  /** The queue's share among the queues of the same handler. Default: 1. */
  readonly weight?: number | undefined;
}

/** Options of `testBacklog`. Only `queues` is required. */
export interface TestBacklogOptions {
  /** The queues by their names, as in the CDK app. */
  readonly queues: Readonly<Record<string, TestQueue>>;
  /**
   * The recurring records by their names, as in the CDK app: their records are inserted at their times. Schedules themselves are
   * neither counted nor waited for. Default: none.
   */
  readonly recurring?: Readonly<Record<string, RecurringOptions>> | undefined;
  /** The beginning of the backlog's time. Default: the present minute. */
  readonly now?: Date | string | number | undefined;
  /** The functions' timeout. Default: 5 minutes. */
  readonly timeout?: Duration | undefined;
  /**
   * The real time that virtual time waits for an attempt that does real work, before it goes on.
   *
   * An attempt that hangs meets its time limit then. An attempt also has this time to end after its signal was aborted.
   * Default: 1 second.
   */
  readonly grace?: Duration | undefined;
  /** The seed that jitter and random ids are drawn from: the same seed gives the same times. Default: 1. */
  readonly seed?: number | undefined;
  /** Attempts every record that succeeds once more: what your tests then count twice is not idempotent. Default: `false`. */
  readonly attemptEachTwice?: boolean | undefined;
  /** Throws a finding by the call that made it. Otherwise it is only kept in `findings`. Default: `true`. */
  readonly throwFindings?: boolean | undefined;
}

const aFunction = z.custom<(...args: never) => unknown>(
  (value) => typeof value === 'function',
  'expected a function',
);

const optionsSchema = z.strictObject({
  queues: z.record(z.string(), z.unknown()),
  recurring: z.optional(z.record(z.string(), z.unknown())),
  now: z._default(z.unknown(), undefined),
  timeout: z._default(duration({ least: 1, most: 900 }), 300),
  grace: z._default(duration({ above: 0, most: 600 }), 1),
  seed: z._default(z.number(), 1),
  attemptEachTwice: z._default(z.boolean(), false),
  throwFindings: z._default(z.boolean(), true),
});

/** The options of a queue that are no settings. The rest is checked as the functions check it. */
export const workShape = {
  handler: z.optional(aFunction),
  process: z.optional(aFunction),
  tasks: z.optional(z.array(z.unknown())),
  destination: z.optional(aFunction),
  firstAttempt: z.optional(z.enum(['onInsert', 'scheduled'])),
  weight: z.optional(z.number().check(z.positive())),
};

const MINUTE_MS = 60_000;

/** @throws ConfigurationError naming the option */
export function parseTestOptions(input: TestBacklogOptions) {
  refuseProtoName(input?.queues, 'testBacklog.queues');
  refuseProtoName(input?.recurring, 'testBacklog.recurring');
  const { now, ...options } = parseOptions(optionsSchema, input, 'testBacklog');
  return { ...options, now: startOf(now) };
}

function startOf(now: unknown): number {
  if (now === undefined) return Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const time = now instanceof Date ? now.getTime() : typeof now === 'string' ? Date.parse(now) : Number(now);
  if (typeof now !== 'boolean' && now !== null && Number.isFinite(time) && Math.abs(time) <= 8.64e15)
    return time;
  throw new ConfigurationError(
    `testBacklog.now: expected a Date, or a time such as "2026-01-01T00:00:00Z", got ${show(now)}`,
  );
}
