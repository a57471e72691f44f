// The limits that a queue may have beside those of each run, the turns of several lanes or queues, ends from outside, and records that no
// run on arrival has room for. Their code is loaded together, by the first run that needs some of it.

export { indexWhenFree } from '../../intake/index-when-free.js';
export { indexAll } from '../../intake/indexing.js';
export { heldBack } from '../../lines/held-back.js';
export { hasOutsideEnd, pendingWith } from '../../record/completion.js';
export { drainLanes } from '../drain-lanes.js';
export { endedEarly, outsideChange } from '../outside-end.js';
export { PageTurns } from '../page-turns.js';
export { putOffOf } from './key-pauses.js';
export { limitGuardsOf, poolOf } from './limit-guards.js';
