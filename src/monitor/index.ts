export { type FailingNow, failingNow } from './failing.js';
export { GaugeReader, type GaugeReaderDeps } from './gauge-reader.js';
export { type DescribedQueue, type MonitoredQueue, monitoredQueue, oldestDueAge } from './gauges.js';
export { keyDimension } from './key-dimension.js';
export type { KeyGaugeValues } from './key-gauges.js';
export {
  type Meter,
  type MeterProvider,
  type ObservableResult,
  observeKeys,
  observeQueues,
  registeredMeterProvider,
} from './open-telemetry.js';
export { isUnknownByPause, type LastAges, reportedAge } from './pauses.js';
export {
  GAUGE_FIELDS,
  type GaugeDefinition,
  type GaugeValues,
  QUEUE_GAUGES,
  type QueueGaugeValues,
} from './queue-gauges.js';
export { RateLimitedCounter, type RateLimitedCounts } from './rate-limited-counts.js';
export { gaugesOf, lookAtQueue } from './read-queue.js';
export { parseReading, type Reading, readingItem } from './reading.js';
