export * from './options.js';
export { type RunParts, run } from './run.js';
export type { RunEnd, RunSummary } from './summary.js';
