export { asStored, checkPayload } from './payload.js';
export type { StandardSchema } from './standard-schema.js';
export { defineTask, isTask, type Task, type TaskContext, type TaskOptions } from './task.js';
