export { type MonitoredQueue, oldestDueAge } from './gauges.js';
export { type PacedCount, PacedCounts } from './paced-counts.js';
