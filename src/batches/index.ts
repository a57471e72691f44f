export type { BatchContext, BatchResult, ProcessBatch, RecordOutcome } from './batch.js';
export { type BatchOptions, type InBatches, inBatches } from './in-batches.js';
