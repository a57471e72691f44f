export type { CancelResult } from './cancel.js';
export { BacklogClient, type InsertResult } from './client.js';
export type { CompletionResult } from './complete.js';
export type { Delay } from './delay.js';
export {
  InsertInterruptedError,
  type InsertManyResult,
  type InsertProgress,
} from './insert-many.js';
export type { NewRecord } from './new-record.js';
export { type NextOccurrenceOptions, nextOccurrence } from './next-occurrence.js';
export type {
  BacklogClientOptions,
  CancelOptions,
  HeartbeatOptions,
  InsertManyOptions,
  ListOptions,
  WaitOptions,
} from './options.js';
export type { TaskInsertOptions } from './task-record.js';
export { WaitTimeoutError } from './wait.js';
