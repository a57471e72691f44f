export { parseSchedule } from './expression.js';
export { parseOccurrences } from './occurrences.js';
export { countFirings, type Schedule } from './schedule.js';
export { parseSchedulerExpression } from './scheduler-expression.js';
