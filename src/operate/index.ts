export type { SkipReason } from './changes.js';
export type { FailedChange, OperationProgress, OperationResult } from './counters.js';
export { OperationInterruptedError } from './errors.js';
export type { OperationOptions } from './operation.js';
export {
  type ActionResult,
  BacklogOperator,
  type ChangePolicyOptions,
  type DiscardOptions,
  type EditOptions,
  type ExportOptions,
  type MoveOptions,
  type RedriveOptions,
  type SnoozeOptions,
  type Stats,
  type StatsOptions,
  type Units,
  type Which,
} from './operator.js';
export type { BacklogOperatorOptions } from './options.js';
export type { PayloadMatch, Selection } from './selection.js';
export type { AgeCount, QueueStats } from './stats.js';
