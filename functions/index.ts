export {
  type Answer,
  type Answers,
  deliverByHttp,
  type HeaderValue,
  type HttpDelivery,
  type HttpDeliveryOptions,
  type Secrets,
  type SecretsSource,
} from '../src/delivery/index.js';
export { ConfigurationError } from '../src/errors.js';
export type { RetryPolicy, Tier, TierBand } from '../src/policies/index.js';
export type {
  AttemptContext,
  AttemptLogger,
  BreakerChoice,
  DeadOn,
  DestinationOf,
  ErrorClass,
  GiveUp,
  HistoryOptions,
  Process,
  ProcessResult,
  QueuesChoice,
  RetryAnswer,
  RetryFunction,
  RetryTo,
  RetryWait,
  RunSummary,
  StopReason,
} from '../src/processor/index.js';
export {
  type BacklogRecord,
  Cancel,
  Dead,
  Done,
  type ErrorEntry,
  type ErrorText,
  type HistoryEntry,
  RetryAfter,
  Snooze,
  type TypedOutcome,
} from '../src/record/index.js';
export {
  defineTask,
  type StandardSchema,
  type Task,
  type TaskContext,
  type TaskOptions,
} from '../src/tasks/index.js';
export { type BacklogHandlerOptions, backlogHandler } from './backlog-handler.js';
export type { LambdaContext } from './lambda-context.js';
export type { BacklogLambdaHandler } from './make-handler.js';
