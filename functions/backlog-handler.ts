import * as z from 'zod/mini';
import { ConfigurationError } from '../src/errors.js';
import { type RetryPolicy, resolvePolicy } from '../src/policies/index.js';
import {
  type BreakerChoice,
  type DeadOn,
  type DestinationOf,
  decisionChoices,
  type Process,
  type RetryFunction,
} from '../src/processor/index.js';
import { QUEUE_PATTERN } from '../src/record/index.js';
import { parseOptions, show } from '../src/validation.js';
import { type BacklogLambdaHandler, type HandlerSeams, makeHandler } from './make-handler.js';
import { checkRetryQueue, choiceOptions, type KeepSuccess } from './settings.js';

/** What each option leaves out comes from the CDK app (`BACKLOG_QUEUES`), and after that from the defaults. */
export interface BacklogHandlerOptions extends HandlerSeams {
  /** The queue whose records this handler attempts. */
  readonly queue: string;
  /** Does the work of one record. */
  readonly process: Process;
  /**
   * A policy, or a function of the error and the record that returns a wait in seconds, a policy or its name, another
   * queue, or `false` for dead. A record's own policy comes before it, the CDK app's after it. Default: fibonacci, or
   * progressive.
   */
  readonly retry?: RetryPolicy | RetryFunction | undefined;
  /** Another queue of the same backlog, into which a failure moves a record that is to be retried. Default: it stays. */
  readonly retryQueue?: string | undefined;
  /** Errors that no retry helps against, dead at once: their names, or classes. */
  readonly deadOn?: DeadOn | undefined;
  /** Attempts at once. Default 10. */
  readonly concurrency?: number | undefined;
  /** Attempts started per second at most, in all runs of the queue together. Default: no limit. */
  readonly attemptsPerSecond?: number | undefined;
  /**
   * Leaves the other side in peace when too many attempts fail: `true`, or its options. Default: none.
   */
  readonly breaker?: BreakerChoice | undefined;
  /**
   * Names where a record goes: with it, there is a breaker for each destination. The name is kept and logged. Default:
   * all records of the queue go to the same one.
   */
  readonly destination?: DestinationOf | undefined;
  /** Time of one attempt. Default 30. */
  readonly attemptTimeoutSeconds?: number | undefined;
  /** Attempts in one run. Default: no limit. */
  readonly maxRecords?: number | undefined;
  /** How long a record is kept after its success, or `"forever"`. Default: 30 days. */
  readonly keepSuccessSeconds?: KeepSuccess | undefined;
}

const anything = z.optional(z.unknown());
const optionsSchema = z.strictObject({
  queue: z.string().check(z.regex(QUEUE_PATTERN, 'expected letters, digits, "_", "." and "-"')),
  process: z.custom<Process>((value) => typeof value === 'function', 'expected a function'),
  retry: anything,
  ...decisionChoices,
  ...choiceOptions,
  destination: z.optional(
    z.custom<DestinationOf>((value) => typeof value === 'function', 'expected a function'),
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
 * Makes the Lambda handler of one queue from a function that does the work of one record.
 *
 * @throws ConfigurationError naming the option that makes no sense; what is wrong with the environment is logged
 *   and thrown by every invocation
 */
export function backlogHandler(options: BacklogHandlerOptions): BacklogLambdaHandler {
  parseOptions(optionsSchema, options, 'backlogHandler');
  const { queue, process, store, clock, random, logger, env, emit, run, ...choices } = options;
  if (choices.retry !== undefined && typeof choices.retry !== 'function')
    resolvePolicy(choices.retry, 'backlogHandler.retry');
  checkRetryQueue(choices.retryQueue, queue, 'backlogHandler.retryQueue');
  const seams = { store, clock, random, logger, env, emit, run };
  return makeHandler(
    (event) => {
      if (event.queue === queue) return process;
      throw new ConfigurationError(
        `event.queue: expected ${show(queue)}, the queue of this handler, got ${show(event.queue)}`,
      );
    },
    choices,
    seams as HandlerSeams,
  );
}
