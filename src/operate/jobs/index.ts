export type { AwaitedFault } from './faults.js';
export {
  isHeld,
  isLost,
  type Job,
  type JobCounts,
  type JobOrigin,
  type JobState,
  parseJob,
  selectedQueues,
  undoRefusal,
} from './job.js';
export { type JobList, Jobs, listed, type NewJob } from './jobs.js';
export type { JobOutcome, JobRunOptions } from './run-job.js';
