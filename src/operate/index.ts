export type { SkipReason } from './changes.js';
export type { OperationResult } from './counters.js';
export { OperationInterruptedError } from './errors.js';
export type { OperationOptions } from './operation.js';
export { type ActionResult, BacklogOperator, type Stats } from './operator.js';
export type { Which } from './operator-options.js';
export type { BacklogOperatorOptions } from './options.js';
export type { PayloadMatch, Selection } from './selection.js';
export type { QueueStats } from './stats.js';
