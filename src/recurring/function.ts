// The part of recurring records that their function needs: none of what operators and applications do.
export { attemptSchedule } from './attempt.js';
export { checkName, type Definition, parseDefinition, RECURRING_QUEUE } from './definition.js';
export { applyTemplate, templateItems } from './template.js';
