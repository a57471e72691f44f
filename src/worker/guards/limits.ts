// The limits that a queue may have beside those of each run, and the turns of several lanes or queues. Their code is loaded together, by the
// first run that needs some of it.

export { drainLanes } from '../drain-lanes.js';
export { PageTurns } from '../page-turns.js';
export { putOffOf } from './key-pauses.js';
export { limitGuardsOf, poolOf } from './limit-guards.js';
