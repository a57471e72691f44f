export { attemptSchedule, type RecurringDeps } from './attempt.js';
export {
  checkName,
  type Definition,
  MISSED,
  type Missed,
  parseDefinition,
  RECURRING_QUEUE,
  type RecurringOptions,
} from './definition.js';
export { type Occurrence, occurrenceOf } from './occurrence-record.js';
export type { RecurringRecord } from './recurring-record.js';
export {
  type BackfillOptions,
  type BackfillResult,
  type PauseRecurringOptions,
  type PutRecurringResult,
  RecurringRecords,
  type RecurringRecordsOptions,
} from './recurring-records.js';
export { nameOf, type RecurringPause, scheduleId } from './schedule-record.js';
export { applyTemplate } from './template.js';
