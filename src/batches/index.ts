export type {
  BatchContext,
  BatchItemFailures,
  BatchResult,
  InBatches,
  ProcessBatch,
  RecordOutcome,
} from './batch.js';
export { type BatchOptions, inBatches } from './in-batches.js';
export type { BatchLimits } from './options.js';
