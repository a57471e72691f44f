/** dynamo-backlog: a serverless, cron-driven backlog on DynamoDB. */
export * from './client/index.js';
export { type Clock, type ClockSetting, scaledClock, systemClock } from './clock.js';
export { ConfigurationError, InvalidRecordError } from './errors.js';
export * from './operate/index.js';
export * from './policies/index.js';
export {
  type AttemptContext,
  type AttemptLogger,
  type DeadOn,
  type ErrorClass,
  type FailureChoices,
  type GiveUp,
  type HistoryOptions,
  type KeepTexts,
  keptTexts,
  type Process,
  type ProcessResult,
  type RecordChoices,
  type RetryAnswer,
  type RetryDecider,
  type RetryFunction,
  type RetryTo,
  type RetryWait,
  type RunDeps,
  type RunLimits,
  type RunOptions,
  type RunSummary,
  type RunTarget,
  retryDecider,
  run,
  type StopReason,
} from './processor/index.js';
export { type Random, systemRandom } from './random.js';
export {
  type BacklogRecord,
  Cancel,
  DEFAULT_QUEUE,
  Dead,
  Done,
  type ErrorEntry,
  type ErrorText,
  type HistoryEntry,
  type Item,
  isCancelled,
  RetryAfter,
  type RetryMode,
  Snooze,
  STATUSES,
  type Status,
  type TypedOutcome,
} from './record/index.js';
export * from './store/index.js';
export {
  defineTask,
  type StandardSchema,
  type Task,
  type TaskContext,
  type TaskOptions,
} from './tasks/index.js';
