/**
 * The API for Lambda functions: `backlogHandler`, delivery by HTTP, and what a `process` function gets, returns and
 * throws.
 *
 * @packageDocumentation
 */
export {
  type BatchContext,
  type BatchItemFailures,
  type BatchLimits,
  type BatchOptions,
  type InBatches,
  inBatches,
  type ProcessBatch,
} from '../src/batches/index.js';
export {
  type Answers,
  type DeliveryBatch,
  deliverByHttp,
  type HttpDelivery,
  type HttpDeliveryOptions,
} from '../src/delivery/index.js';
export type { RetryPolicy, Tier } from '../src/policies/index.js';
export {
  type BacklogRecord,
  Cancel,
  Dead,
  Done,
  type DoneOptions,
  type ErrorEntry,
  type HistoryEntry,
  type NotReady,
  Pending,
  type PendingOptions,
  RetryAfter,
  Snooze,
} from '../src/record/index.js';
export type { Duration } from '../src/support/duration.js';
export { ConfigurationError } from '../src/support/errors.js';
export {
  defineTask,
  type StandardSchema,
  type Task,
  type TaskContext,
  type TaskOptions,
} from '../src/tasks/index.js';
export type {
  AttemptContext,
  AttemptLogger,
  HistoryOptions,
  Process,
  RetryAnswer,
  RetryFunction,
  RetryWait,
  RunSummary,
  StopReason,
} from '../src/worker/index.js';
export { type BacklogHandlerOptions, backlogHandler } from './backlog-handler.js';
export type { BacklogLambdaHandler, HandlerMiddleware, HandlerRequest } from './backlog-lambda-handler.js';
export { type CompletionUrlOptions, completionUrl } from './completion-url/completion-url.js';
export type { LambdaContext } from './lambda-context.js';
export { type AttemptTracing, type OpenTelemetryApi, openTelemetry } from './open-telemetry.js';
