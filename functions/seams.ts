import type { QueueWeights, RunOptions, run, Watchdog } from '../src/worker/index.js';
import type { QueueTurns } from '../src/worker/page-turns.js';
import type { BacklogLambdaHandler } from './backlog-lambda-handler.js';
import type { HandlerDeps } from './deps.js';
import type { HandlerLogger } from './handler-logger.js';
import type { EmitMetrics } from './metrics.js';

/** Everything a handler touches that tests replace. */
export interface HandlerSeams extends Partial<HandlerDeps> {
  /** A logger of your own, such as a `Logger` of Powertools. Default: one with the function's log level. */
  readonly logger?: HandlerLogger | undefined;
  /** For tests: in place of `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** For tests: gets a run's summary and the table's name, in place of CloudWatch's metrics. */
  readonly emit?: EmitMetrics | undefined;
  /** For tests: in place of the run itself. */
  readonly run?: typeof run | undefined;
}

/**
 * Makes the same handler with other seams: `dynamo-backlog/testing` and `backlog work` run the handlers that users export.
 * By its name, so that it is found where a process has loaded this package twice. What is handed through it may come from
 * the other copy, so it is data and functions, and no instances of classes that are compared.
 */
export const WITH_SEAMS: unique symbol = Symbol.for('dynamo-backlog.withSeams');

/** The queues that a handler serves by its own code, with their weights; undefined: all that its settings name. */
export const SERVES: unique symbol = Symbol.for('dynamo-backlog.serves');

/** What the testing kit and the worker process replace. */
export interface ProcessSeams extends HandlerSeams {
  /** Ends all runs, in place of SIGTERM: a run that waits for virtual time must keep no test process alive. */
  readonly stop?: AbortSignal | undefined;
  /** What a run is started with in place of what the settings and the code say. */
  readonly adjust?: ((options: RunOptions) => RunOptions) | undefined;
  /** The turns of a queue among all queues of the process. Default: among those of one event. */
  readonly turnsOf?: ((queue: string) => QueueTurns | undefined) | undefined;
  /** Gets each attempt of more than a minute, which goes on without its run. Default: none does. */
  readonly onLongAttempt?: ((queue: string, ended: Promise<unknown>) => void) | undefined;
  /** Ends a process that is blocked. Default: one of the function's own; in tests with a store of their own, none. */
  readonly watchdog?: Watchdog | undefined;
  /** False: it works for the owner of its queues, and registers only those without a function. Default: true. */
  readonly registers?: boolean | undefined;
}

/** Gets the seams that the handler was made with, and gives those that replace them. */
export type WithSeams = (other: (given: HandlerSeams) => ProcessSeams) => BacklogLambdaHandler;

/** A handler, as `makeHandler` makes it. */
export interface SeamedHandler extends BacklogLambdaHandler {
  readonly [WITH_SEAMS]: WithSeams;
  readonly [SERVES]?: QueueWeights | undefined;
}
