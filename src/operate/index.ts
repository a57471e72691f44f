export type { KeyPause } from '../store/key-pauses.js';
export type { SkipReason } from './changes.js';
export { BacklogOperator } from './operator.js';
export type { OperationOptions, Which } from './options.js';
export type { QueueStats, Stats } from './queue-stats.js';
export type { RedactPayload } from './redact-payload.js';
export { type ActionResult, OperationInterruptedError, type OperationResult } from './result.js';
export type { PayloadMatch, Selection } from './selection.js';
export type { BacklogOperatorOptions } from './tables.js';
