export { firstAlarm, stateChanges } from './history.js';
export { resolver } from './intrinsics.js';
export { checkAlarm } from './limits.js';
export { stateAt } from './state.js';
export { alarmsOf } from './template.js';
