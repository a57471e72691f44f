export { type IndexedWhenFree, indexWhenFree, readEach } from './index-when-free.js';
export { type Indexed, type IndexingDeps, type KeyLanes, needsIndexing } from './indexing.js';
export { type SweepDeps, type SweepSummary, sweep } from './sweep.js';
