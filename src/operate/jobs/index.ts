export { isHeld, type Job, type JobCounts, type JobState, parseJob, undoRefusal } from './job.js';
export { type JobList, type JobOrigin, Jobs, listed, type NewJob } from './jobs.js';
export type { JobRunOptions } from './run-job.js';
