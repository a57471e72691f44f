import type { LiveRunDeps } from '../src/worker/context.js';
import type { QueueWeights, RunOptions, RunSummary, run, Watchdog } from '../src/worker/index.js';
import type { QueueTurns } from '../src/worker/page-turns.js';
import type { BacklogLambdaHandler } from './backlog-lambda-handler.js';
import type { HandlerDeps } from './deps.js';
import type { HandlerLogger } from './handler-logger.js';
import type { LambdaContext } from './lambda-context.js';
import type { EmitMetrics } from './metrics.js';

/** The parts of a handler that tests replace. */
export interface HandlerSeams extends Partial<HandlerDeps> {
  /** A logger of your own, such as a `Logger` of Powertools. Default: one with the function's log level. */
  readonly logger?: HandlerLogger | undefined;
  /** The variables of a test, in place of `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The metrics of a test, in place of CloudWatch's: gets a run's summary and the table's name. */
  readonly emit?: EmitMetrics | undefined;
  /** The run of a test, in place of a real one. */
  readonly run?: typeof run | undefined;
}

/** The parts that the testing kit and the worker process replace. */
export interface ProcessSeams extends HandlerSeams {
  /** Ends all runs, in place of SIGTERM: a run that waits for virtual time must keep no test process alive. */
  readonly stop?: AbortSignal | undefined;
  /** Replaces the options of a run that come from the settings and the code. */
  readonly adjust?: ((options: RunOptions) => RunOptions) | undefined;
  /** The turns of a queue among all queues of the process. Default: among those of one event. */
  readonly turnsOf?: ((queue: string) => QueueTurns | undefined) | undefined;
  /**
   * Returns `longAttempts`, which lets attempts of more than a minute go on without their run. Default: none does.
   *
   * @internal
   */
  readonly longAttempts?:
    | ((tell: (summary: RunSummary) => RunSummary) => LiveRunDeps['longAttempts'])
    | undefined;
  /** Ends a process that is blocked. Default: one of the function's own; in tests with a store of their own, none. */
  readonly watchdog?: Watchdog | undefined;
  /**
   * The handler registers its queues. False: it works for their owner, and registers only those without a function.
   * Default: true.
   */
  readonly registers?: boolean | undefined;
}

/**
 * Gets the seams that a handler was made with, and gives those that replace them. Handlers keep what they make of it: one
 * function stands for one backlog.
 */
export type ReplaceSeams = (given: HandlerSeams) => ProcessSeams;

/** The tool that `dynamo-backlog/testing` and `backlog work` hand to a handler with an event. */
export interface Tool {
  readonly replace: ReplaceSeams;
  /** Called with the run when the event has reached it. */
  readonly reached: (run: Promise<RunSummary>) => void;
}

/**
 * The key of a `Tool` in the context of an invocation. So it passes through every wrapper, and its middlewares are run.
 * By its name, so that it is found where a process has loaded this package twice. What is handed through it may come from
 * the other copy, so it is data and functions, and no instances of classes that are compared.
 */
export const TOOL: unique symbol = Symbol.for('dynamo-backlog.tool');

/** A context that may have a tool. */
export interface ToolContext extends LambdaContext {
  readonly [TOOL]?: Tool | undefined;
}

/** The queues that a handler serves by its own code, with their weights; undefined: all that its settings name. */
export const SERVES: unique symbol = Symbol.for('dynamo-backlog.serves');

/** A handler, as `makeHandler` makes it. */
export interface SeamedHandler extends BacklogLambdaHandler {
  readonly [SERVES]?: QueueWeights | undefined;
}

/**
 * A function that a module exports for Lambda: a handler of this package, or what wraps one.
 *
 * @inline
 */
export type LambdaFunction = (event: never, context: never, callback: never) => unknown;

interface InvocationWatch {
  readonly onReached?: (run: Promise<RunSummary>) => void;
  readonly onOuterError?: (error: unknown) => void;
}

/** The end of an invocation that did not fail. */
export type Invoked =
  | { readonly summary: RunSummary }
  /** There was no run: a middleware has ended the invocation before. */
  | { readonly summary?: undefined; readonly answer: unknown };

/**
 * Invokes a handler with other seams, through whatever wraps it.
 *
 * @param watch `onReached` is called with the run, `onOuterError` with an error that is not the run's own: a middleware's,
 *   which no log has yet
 * @returns the run's summary, or the answer of what has ended the invocation before a run
 */
export async function invokeWith(
  handler: LambdaFunction,
  event: unknown,
  context: LambdaContext,
  replace: ReplaceSeams,
  watch: InvocationWatch = {},
): Promise<Invoked> {
  let run: Promise<RunSummary> | undefined;
  const reached = (own: Promise<RunSummary>) => {
    run = own;
    watch.onReached?.(own);
  };
  const invoke = handler as (event: unknown, context: ToolContext) => unknown;
  let answer: unknown;
  try {
    answer = await invoke(event, { ...context, [TOOL]: { replace, reached } });
  } catch (error) {
    const own = await run?.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (own !== error) watch.onOuterError?.(error);
    throw error;
  }
  // A failure counts also if a middleware has returned an answer in its place.
  return run ? { summary: await run } : { answer };
}

const ON_MADE = Symbol.for('dynamo-backlog.onMade');
type OnMade = { [ON_MADE]?: ((handler: SeamedHandler) => void) | undefined };

/** Reports a new handler to `handlersMadeBy`, if that is under way. */
export function announce(handler: SeamedHandler): void {
  (globalThis as OnMade)[ON_MADE]?.(handler);
}

/** The handlers that are made while something is done, such as a module loaded: which of them a wrapper hides. */
export async function handlersMadeBy<Result>(
  act: () => Promise<Result>,
): Promise<{ result: Result; made: readonly SeamedHandler[] }> {
  const made: SeamedHandler[] = [];
  const asking = globalThis as OnMade;
  asking[ON_MADE] = (handler) => void made.push(handler);
  try {
    return { result: await act(), made };
  } finally {
    asking[ON_MADE] = undefined;
  }
}
