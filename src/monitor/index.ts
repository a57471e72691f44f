export { type MonitoredQueue, oldestDueAge } from './gauges.js';
export { PacedCounter, type PacedCounts } from './paced-counts.js';
export { parseReading, type Reading, readingItem } from './reading.js';
