import { GaugeReader, type GaugeReaderDeps, monitoredQueue } from 'dynamo-backlog/engine';
import type { WorkerOptions } from './worker.js';

/** The gauges of a worker's queues; nothing is read until they are asked for. The region is the one that its runs go by. */
export function gaugesOfWorker(
  { queues, env, timeoutSeconds }: Pick<WorkerOptions, 'queues' | 'env' | 'timeoutSeconds'>,
  deps: Omit<GaugeReaderDeps, 'region' | 'primaryRegion'>,
): GaugeReader {
  const monitored = queues.map(({ name, settings, timeoutSeconds: timeout }) =>
    monitoredQueue(name, { ...settings, timeout }, timeoutSeconds),
  );
  const { AWS_REGION: region, BACKLOG_PRIMARY_REGION: primaryRegion } = env;
  return new GaugeReader(monitored, { ...deps, region, primaryRegion });
}
