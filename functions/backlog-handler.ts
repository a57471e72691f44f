import * as z from 'zod/mini';
import { type RetryPolicy, resolvePolicy } from '../src/policies/index.js';
import { QUEUE_NAME, QUEUE_PATTERN } from '../src/record/index.js';
import type { Duration } from '../src/support/duration.js';
import { ConfigurationError } from '../src/support/errors.js';
import { parseOptions, show } from '../src/support/validation.js';
import { isTask, type Task } from '../src/tasks/index.js';
import { workOf } from '../src/tasks/work.js';
import {
  type DeadOn,
  type DestinationOf,
  decisionChoices,
  type HistoryOptions,
  historyChoices,
  type Process,
  parseWeights,
  type QueueOptions,
  type QueuesChoice,
  type QueueWeights,
  queueOptions,
  type RetryFunction,
  redactionOf,
  retryDecider,
  TIMES,
  type Time,
} from '../src/worker/index.js';
import type { BacklogLambdaHandler } from './backlog-lambda-handler.js';
import { makeHandler } from './make-handler.js';
import type { AttemptTracing } from './open-telemetry.js';
import { checkTaskTimeouts } from './plan.js';
import type { HandlerSeams } from './seams.js';
import { checkRetryQueue } from './settings.js';

/** Options of a handler. What is left out comes from the CDK app (`BACKLOG_QUEUES`), and after that from the defaults. */
export interface BacklogHandlerOptions extends HandlerSeams, QueueOptions<Duration> {
  /** The queue whose records this handler attempts. Default: those of `queues`, else all that its environment names. */
  readonly queue?: string | undefined;
  /**
   * Several queues in place of one, with their weights: `'critical,6 default,1'`, or a list of names and `[name, weight]`.
   *
   * A function that serves several queues (in the CDK app, a worker) shares its attempts among them by these weights. Default:
   * that of `queue`, else all that its environment names.
   */
  readonly queues?: QueuesChoice | undefined;
  /** Does the work of one record. With `tasks`, only of records that name no task. Default: none, with `tasks`. */
  readonly process?: Process | undefined;
  /**
   * The tasks that this handler performs.
   *
   * Records that name another task wait until a handler knows it. Default: none.
   */
  readonly tasks?: readonly Task[] | undefined;
  /**
   * A policy, or a function of the error and the record. A record's own policy comes before it, the CDK app's after it.
   *
   * The function returns a wait in seconds, a policy or its name, another queue, or `false` for dead. Default: the CDK app's,
   * else `fibonacci`, or `progressive` on a progressive queue.
   */
  readonly retry?: RetryPolicy | RetryFunction | undefined;
  /** Errors that a retry cannot help, by their names or classes: such a failure makes the record dead at once. Default: none. */
  readonly deadOn?: DeadOn | undefined;
  /** The history that a record keeps of its attempts, and the redaction of its secrets. Default: 512 bytes, without stacks. */
  readonly history?: HistoryOptions | undefined;
  /**
   * Names the destination of a record, so that each destination has a breaker of its own. The name is stored and logged.
   * Default: all records of the queue have the same destination.
   */
  readonly destination?: DestinationOf | undefined;
  /** Traces attempts, such as `openTelemetry(api)`. Default: none. */
  readonly tracing?: AttemptTracing | undefined;
}

const anything = z.optional(z.unknown());
const optionsSchema = z.strictObject({
  queue: z.optional(z.string().check(z.regex(QUEUE_PATTERN, `expected ${QUEUE_NAME}`))),
  queues: anything,
  process: z.optional(z.custom<Process>((value) => typeof value === 'function', 'expected a function')),
  tasks: z.optional(
    z.array(z.custom<Task>(isTask, 'expected a task that defineTask has made')).check(z.minLength(1)),
  ),
  retry: anything,
  ...queueOptions,
  ...decisionChoices,
  ...historyChoices,
  destination: z.optional(
    z.custom<DestinationOf>((value) => typeof value === 'function', 'expected a function'),
  ),
  tracing: z.optional(
    z.custom<AttemptTracing>((value) => typeof value === 'function', 'expected what openTelemetry returns'),
  ),
  store: anything,
  clock: anything,
  random: anything,
  logger: anything,
  env: anything,
  emit: anything,
  run: anything,
});

/**
 * Makes the Lambda handler of one queue from a function that does the work of one record, or from tasks.
 *
 * @throws ConfigurationError naming the option that is invalid; what is wrong with the environment is logged
 *   and thrown by every invocation
 */
export function backlogHandler(options: BacklogHandlerOptions): BacklogLambdaHandler {
  const parsed = parseOptions(optionsSchema, options, 'backlogHandler');
  const {
    queue,
    process: own,
    tasks,
    store,
    clock,
    random,
    logger,
    env,
    emit,
    run,
    retry: given,
    queues,
    tracing,
    ...rest
  } = options;
  const work = tasks && workOf(tasks, own, 'backlogHandler.tasks');
  const bare = work?.process ?? own;
  if (!bare) throw new ConfigurationError('backlogHandler: expected process, tasks, or both, got neither');
  const process = tracing ? tracing(bare) : bare;
  if (parsed.attemptTimeout !== undefined) checkTaskTimeouts(work, parsed.attemptTimeout);
  if (given !== undefined && typeof given !== 'function') resolvePolicy(given, 'backlogHandler.retry');
  const retry = typeof given === 'function' ? retryDecider(given) : given;
  const weights = weightsOf(queue, queues);
  const serves = queue === undefined ? weights : new Map([[queue, 1]]);
  const seconds = Object.fromEntries(TIMES.map((name) => [name, parsed[name]])) as {
    readonly [name in Time]: QueueOptions[name];
  };
  const choices = { ...rest, ...seconds, retry, redactionOf, weights, serves };
  if (queue !== undefined) checkRetryQueue(choices.retryQueue, queue, 'backlogHandler.retryQueue');
  const overrides = { store, clock, random, logger, env, emit, run };
  return makeHandler(
    (event) => {
      const served = [...(serves?.keys() ?? [event.queue])];
      if (served.includes(event.queue)) return process;
      const own = served.length === 1 ? 'the queue of this handler' : 'which are the queues of this handler';
      throw new ConfigurationError(
        `event.queue: expected ${served.map(show).join(' or ')}, ${own}, got ${show(event.queue)}`,
      );
    },
    { ...choices, work },
    overrides as HandlerSeams,
  );
}

function weightsOf(queue: string | undefined, queues: QueuesChoice | undefined): QueueWeights | undefined {
  if (queues === undefined) return undefined;
  if (queue !== undefined) {
    throw new ConfigurationError('backlogHandler: expected either "queue" or "queues", got both');
  }
  if (typeof queues === 'string' || Array.isArray(queues))
    return parseWeights(queues, 'backlogHandler.queues');
  throw new ConfigurationError(
    `backlogHandler.queues: expected text such as "critical,6 default,1", or a list, got ${show(queues)}`,
  );
}
