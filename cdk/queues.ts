import type { Construct } from 'constructs';
import {
  checkDepthAlarms,
  checkHeldAlarms,
  checkMetricsPerKey,
  checkPendingAlarms,
} from './props/alarm-settings.js';
import type { ReadProps } from './props/backlog-shape.js';
import { checkOrderReadable } from './props/order.js';
import { type Queue, readQueues } from './props/queue.js';
import { withRecurring } from './props/recurring.js';
import { readWorkers, type WorkerWork } from './props/worker-props.js';
import { checkShared, withArrivals } from './sharing/shared-backlog.js';
import { checkTimeZone } from './triggers/time-zone.js';

/** The queues of a Backlog, and what several of them share. */
export interface Queues {
  readonly queues: readonly Queue[];
  readonly workers: ReadonlyMap<string, WorkerWork>;
}

/**
 * Reads the queues and workers of a Backlog, and checks what its other props say of them.
 *
 * @throws ConfigurationError naming the queue or the worker, and the option
 */
export function queuesOf(backlog: Construct, options: ReadProps): Queues {
  const { sharedBacklog: shared, metrics, timeZone, trigger } = options;
  const read = withRecurring(backlog, readQueues(options.queues), options.recurring);
  const workers = readWorkers(options.workers, read);
  const queues = shared ? withArrivals(read, workers, shared) : read;
  if (shared) checkShared(backlog, shared);
  checkTimeZone(timeZone, trigger, queues);
  checkOrderReadable(queues, { intake: options.intake, isShared: shared !== undefined });
  checkDepthAlarms(queues, metrics);
  checkMetricsPerKey(queues, { metrics, isShared: shared !== undefined });
  checkHeldAlarms(queues);
  checkPendingAlarms(queues, { metrics, isShared: shared !== undefined });
  return { queues, workers };
}
