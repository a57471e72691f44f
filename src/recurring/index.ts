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
export { latestOccurrences, nextOccurrences, type PastOccurrence } from './near-occurrences.js';
export { type Occurrence, occurrenceId, occurrenceOf } from './occurrence-record.js';
export { describeSchedule, type RecurringRecord } from './recurring-record.js';
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
