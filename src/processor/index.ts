export * from './options.js';
export type { RunParts } from './parts.js';
export { type Placed, placeRecords } from './placing.js';
export type { RetryFunction } from './retry-function.js';
export { run } from './run.js';
export type { RunEnd, RunSummary } from './summary.js';
