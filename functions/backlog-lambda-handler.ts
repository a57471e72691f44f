import type { RunSummary } from '../src/worker/index.js';
import type { LambdaContext } from './lambda-context.js';

/** The argument of middy's middlewares: one object for all of them, from the start of an invocation to its end. */
export interface HandlerRequest {
  /** The event: of a rule, or of records that were just inserted. */
  readonly event: unknown;
  /** Lambda's context. */
  readonly context: LambdaContext;
  /** The result of the handler, for `after`; the result that `onError` sets in place of its error. */
  response: unknown;
  /** The error that was thrown, for `onError`. */
  readonly error: unknown;
  /** Shared by the middlewares of an invocation. */
  readonly internal: Record<string, unknown>;
}

/** A middleware of middy: what it does before a run, after it, and if it fails. It has one of these at least. */
export interface HandlerMiddleware {
  /** Called before the run. A result other than `undefined` ends the invocation at once, without a run. */
  before?(request: HandlerRequest): unknown;
  /** Called after the run; the last middleware comes first. */
  after?(request: HandlerRequest): unknown;
  /** Called after a run, or a middleware, that threw; the last middleware comes first. */
  onError?(request: HandlerRequest): unknown;
}

/**
 * A Lambda handler for a rule's event. Its result is the run's summary. It is a handler of middy, to which middlewares can be
 * added; they wrap the run.
 */
export interface BacklogLambdaHandler {
  (event: unknown, context: LambdaContext): Promise<RunSummary>;
  /** Adds a middleware, or several. */
  use(middleware: HandlerMiddleware | readonly HandlerMiddleware[]): BacklogLambdaHandler;
  /** Adds what is done before each run. */
  before(act: (request: HandlerRequest) => unknown): BacklogLambdaHandler;
  /** Adds what is done after each run. */
  after(act: (request: HandlerRequest) => unknown): BacklogLambdaHandler;
  /** Adds what is done if a run fails. */
  onError(act: (request: HandlerRequest) => unknown): BacklogLambdaHandler;
}
