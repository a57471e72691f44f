export { indexWhenFree } from './index-when-free.js';
export { type IndexingDeps, needsIndexing } from './indexing.js';
export { type SweepSummary, sweep } from './sweep.js';
