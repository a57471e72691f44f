export * from './options.js';
export type { RunParts } from './parts.js';
export { placeWhenFree } from './place-when-free.js';
export type { PlacingParts } from './placing.js';
export type { RetryFunction } from './retry-function.js';
export { run } from './run.js';
export type { RunEnd, RunSummary } from './summary.js';
export { type SweepSummary, sweep } from './sweep.js';
