export * from './due.js';
export { isNewer } from './format.js';
export {
  type AttemptOutcome,
  Cancel,
  Dead,
  Done,
  outcomeOfReturn,
  outcomeOfThrow,
  Refused,
  RetryAfter,
  Snooze,
  type TypedOutcome,
} from './outcome.js';
export { CLOCK_TOLERANCE_MS, CONTRACT_ATTRIBUTES, type Item, parseRecord } from './parse.js';
export * from './place.js';
export * from './record.js';
export * from './settle.js';
export { waitForTask } from './wait-for-task.js';
