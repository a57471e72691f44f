/**
 * The module of producers, operators and the code that both sides share: the client, the operator, tasks, what an attempt may
 * return, retry policies as plain data, and the errors. Handlers import `dynamo-backlog/lambda`, CDK apps
 * `dynamo-backlog/cdk`, screens and alarms of your own `dynamo-backlog/overview`, runners and stores `dynamo-backlog/engine`.
 *
 * @packageDocumentation
 */
export {
  BacklogClient,
  type BacklogClientOptions,
  type CancelOptions,
  type CancelResult,
  type CompletionResult,
  type Delay,
  type HeartbeatOptions,
  InsertInterruptedError,
  type InsertManyOptions,
  type InsertManyResult,
  type InsertResult,
  type ListOptions,
  type NewRecord,
  type NextOccurrenceOptions,
  nextOccurrence,
  type TaskInsertOptions,
  type WaitOptions,
  WaitTimeoutError,
} from './client/index.js';
export {
  type Group,
  type GroupEnd,
  type GroupEventDetail,
  type GroupOptions,
  type GroupRecord,
  type InsertGroupResult,
  RecordGroups,
  type RecordGroupsOptions,
} from './groups/index.js';
export {
  type HeldKeys,
  type InsertLinesOptions,
  type LineEntry,
  type LineName,
  type RecordLine,
  RecordLines,
  type RecordLinesOptions,
} from './lines/index.js';
export {
  type ActionResult,
  BacklogOperator,
  type BacklogOperatorOptions,
  type KeyPause,
  OperationInterruptedError,
  type OperationOptions,
  type OperationResult,
  type QueueStats,
  type RedactPayload,
  type Selection,
  type Stats,
} from './operate/index.js';
export type { RetryLimits, RetryPolicy, Tier } from './policies/index.js';
export {
  type BacklogRecord,
  Cancel,
  Dead,
  Done,
  type DoneOptions,
  type ErrorEntry,
  type EventPart,
  type HistoryEntry,
  type NotReady,
  Pending,
  type PendingOptions,
  type RecordEnd,
  type RecordEventDetail,
  RetryAfter,
  Snooze,
  type Status,
} from './record/index.js';
export {
  type BackfillOptions,
  type BackfillResult,
  type Missed,
  type Occurrence,
  occurrenceOf,
  type PauseRecurringOptions,
  type PutRecurringResult,
  type RecurringOptions,
  type RecurringPause,
  type RecurringRecord,
  RecurringRecords,
  type RecurringRecordsOptions,
} from './recurring/index.js';
export {
  StoreAccessError,
  StoreError,
  StoreThrottledError,
  StoreUnavailableError,
} from './store/errors.js';
export type { Duration } from './support/duration.js';
export { ConfigurationError, InvalidRecordError } from './support/errors.js';
export {
  defineTask,
  type StandardSchema,
  type Task,
  type TaskContext,
  type TaskOptions,
} from './tasks/index.js';
export type { RetryAnswer, RetryFunction, RetryWait } from './worker/index.js';
