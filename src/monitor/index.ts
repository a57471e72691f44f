export { type FailingNow, failingNow } from './failing.js';
export { type MonitoredQueue, oldestDueAge } from './gauges.js';
export { type LastAges, reportedAge } from './pauses.js';
export { RateLimitedCounter, type RateLimitedCounts } from './rate-limited-counts.js';
export { parseReading, type Reading, readingItem } from './reading.js';
