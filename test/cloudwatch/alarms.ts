export { resolver } from '../../tools/src/cloudwatch/intrinsics.js';
export { stateAt } from '../../tools/src/cloudwatch/state.js';
export { alarmsOf } from '../../tools/src/cloudwatch/template.js';
export { firstAlarm, stateChanges } from './history.js';
export { checkAlarm } from './limits.js';
