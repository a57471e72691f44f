export { decisionChoices } from './decision-choices.js';
export { type DeadOn, decisionOptions, type ErrorClass } from './decision-options.js';
export type { FailureChoices, RecordChoices, RetryDecider } from './decisions.js';
export type { RunDeps } from './deps.js';
export { type HistoryOptions, historyLimits, historyShape, type KeepTexts } from './history.js';
export { historyChoices, keptTexts } from './kept-texts.js';
export { LANES_AT_ONCE } from './lanes.js';
export * from './options.js';
export { placeWhenFree } from './place-when-free.js';
export { needsPlace, type PlacingDeps } from './placing.js';
export type { BreakerOptions } from './pressure/breaker.js';
export type { BreakerMemory } from './pressure/breakers.js';
export { runQueues, together } from './queues/run-queues.js';
export { parseWeights, type QueuesChoice, type QueueWeights } from './queues/weights.js';
export {
  type GiveUp,
  type RetryAnswer,
  type RetryFunction,
  type RetryTo,
  type RetryWait,
  retryDecider,
} from './retry-function.js';
export { run } from './run.js';
export type { RunSummary, StopReason } from './summary.js';
export { type SweepSummary, sweep } from './sweep.js';
