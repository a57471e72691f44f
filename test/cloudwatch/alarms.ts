import { type CloudFormationTemplate, alarmsOf as read } from '../../tools/src/cloudwatch/template.js';
import { resolver } from './intrinsics.js';

export { stateAt } from '../../tools/src/cloudwatch/state.js';
export { firstAlarm, stateChanges } from './history.js';
export { checkAlarm } from './limits.js';
export { resolver };

/** All alarms of a template, with the logical ids as names of its resources unless told otherwise. */
export const alarmsOf = (template: CloudFormationTemplate, resolve = resolver()) => read(template, resolve);
