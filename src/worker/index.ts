export type { AttemptLogger } from '../support/logger.js';
export {
  LANES_AT_ONCE,
  MAX_PAGE_RECORDS,
  maxAttemptsAtOnce,
  maxAttemptsInWindow,
  maxAttemptsPerHour,
  type QueueNumbers,
} from './capacity.js';
export type { RunDeps, Watchdog, WatchedAttempts } from './deps.js';
export type { FailingMemory } from './failing-watch.js';
export { decisionChoices } from './failures/decision-choices.js';
export { type DeadOn, decisionOptions } from './failures/decision-options.js';
export type { RecordChoices, RetryDecider } from './failures/decisions.js';
export { type HistoryOptions, historyLimits, historyShape, type Redaction } from './failures/history.js';
export { historyChoices, redactionOf } from './failures/redaction.js';
export {
  type RetryAnswer,
  type RetryFunction,
  type RetryWait,
  retryDecider,
} from './failures/retry-function.js';
export type { BreakerMemory } from './guards/breakers.js';
export { loadLimits } from './guards/queue-guards.js';
export { type LaneOptions, laneOptions } from './lane-options.js';
export * from './options.js';
export {
  type BreakerChoice,
  type BreakerOptions,
  limitsSchema,
  QUEUE_DEFAULTS,
  type QueueOptions,
  queueOptions,
  type RunLimits,
  resolveBreaker,
  TIMES,
  type Time,
} from './queue-options.js';
export { run } from './run.js';
export type { StopReason } from './stop-reason.js';
export type { RunSummary } from './summary.js';
export { runQueues, together } from './weighted-queues.js';
export { parseWeights, type QueuesChoice, type QueueWeights } from './weights.js';
