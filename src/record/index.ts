export { type RecordChange, type SettleContext, withoutHistory } from './change.js';
export { completionToken } from './completion-token.js';
export { CONTRACT_ATTRIBUTES } from './contract-attributes.js';
export * from './due.js';

export type * from './failing-note.js';
export {
  afterRun,
  CLEAN_SUCCESSES,
  errorInNote,
  evidenceOf,
  failingSeconds,
  isOutage,
  MAX_GROUP_LENGTH,
  MIN_RECORDS,
  openNotes,
  secondsOf,
  WHOLE_QUEUE,
  YOUNG_SECONDS,
} from './failing-notes.js';
export { failingText, parseFailing } from './failing-text.js';
export { asWritten, attributesToFence, FENCED } from './fence.js';
export { giveUp } from './give-up.js';
export { DEFAULT_HISTORY, type ErrorText, type HistoryLimits, truncate } from './history.js';
export { httpStatusOf } from './http-status.js';
export * from './index-change.js';
export { isKey, KEY_FORM } from './key.js';
export * from './lanes.js';
export { nextAttemptAt } from './next-attempt.js';
export * from './not-before.js';
export {
  type AttemptOutcome,
  errorTextOf,
  nameOfThrown,
  outcomeOfReturn,
  outcomeOfThrow,
  type PendingOutcome,
  type TypedOutcome,
  withinRoom,
} from './outcome.js';
export { Cancel } from './outcomes/cancel.js';
export { Dead, Refused } from './outcomes/dead.js';
export { Done, type DoneOptions } from './outcomes/done.js';
export { Pending, type PendingOptions } from './outcomes/pending.js';
export { RetryAfter } from './outcomes/retry-after.js';
export { type NotReady, Snooze } from './outcomes/snooze.js';
export { parseRecord } from './parse.js';
export {
  DEFAULT_MAX_RETRY_AFTER_SECONDS,
  firstTryAt,
  hasOwnSchedule,
  keptRetryAfter,
  triesOf,
} from './policy-of.js';
export { groupsToProbe, lostProbe, mayProbe, PROBE_SECONDS, settleProbe } from './probes.js';
export * from './quarantine.js';
export * from './record.js';
export {
  detailTypeOf,
  EVENT_PARTS,
  EVENT_SOURCE,
  type EventPart,
  RECORD_ENDS,
  type RecordEnd,
  type RecordEventDetail,
  recordEvent,
} from './record-event.js';
export { givenResult, hasRoomForResult } from './result.js';
export * from './settle.js';
export { notReadyText } from './snooze.js';
export { isTraceparent, TRACEPARENT_FORM, traceIdOf } from './traceparent.js';
export { type KnownQueues, mayNeedIndexing } from './wrong-lane.js';
