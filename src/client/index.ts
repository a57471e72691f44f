export {
  BacklogClient,
  type BacklogClientOptions,
  type InsertManyOptions,
  type InsertResult,
  type TaskInsertManyOptions,
} from './client.js';
export type { Delay } from './delay.js';
export {
  type FailedRecord,
  InsertInterruptedError,
  type InsertManyResult,
  type InsertProgress,
} from './insert-many.js';
export type { NewRecord } from './new-record.js';
export type { TaskEntry, WrappedPayload } from './task-entry.js';
export type { TaskInsertOptions } from './task-record.js';
