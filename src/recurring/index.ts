export {
  type Definition,
  MISSED,
  type Missed,
  parseDefinition,
  type RecurringOptions,
} from './definition.js';
export { checkName, nameOf, RECURRING_QUEUE, scheduleId } from './names.js';
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
export type { RecurringPause } from './schedule-record.js';
export { templateItems } from './template-writes.js';
