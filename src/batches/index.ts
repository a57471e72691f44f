export {
  type BatchContext,
  type BatchOptions,
  type BatchResult,
  type InBatches,
  inBatches,
  type ProcessBatch,
  type RecordOutcome,
} from './in-batches.js';
