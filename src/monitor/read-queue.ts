import type { OverviewStore } from '../store/operator-store.js';
import type { QueueState } from '../store/store.js';
import { failingNow } from './failing.js';
import { type MonitoredQueue, oldestDueAge } from './gauges.js';
import type { GaugeValues } from './queue-gauges.js';
import type { RateLimitedCounts } from './rate-limited-counts.js';

/** A queue as it was read at one time. */
export interface QueueLook {
  /** Lateness of the record that has been due for longest, in the backlog's seconds; 0 if none is due. */
  readonly age: number;
  readonly state: QueueState;
  /** Undefined: there was no time to count. */
  readonly counted: RateLimitedCounts | undefined;
  /** Seconds without recovery, see `failingNow`. */
  readonly failingSeconds: number | undefined;
}

interface LookDeps {
  readonly store: Pick<OverviewStore, 'queues' | 'pages' | 'records'>;
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  /** Counts the records of the queue, or gives their last count. */
  readonly count: (queue: MonitoredQueue) => Promise<RateLimitedCounts | undefined>;
  /** Another region attempts the records. Undefined: not known. */
  readonly isPassive: boolean | undefined;
}

/** Reads a queue: its oldest due records, its item in the control table, and its counts. */
export async function lookAtQueue(
  queue: MonitoredQueue,
  { store, now, count, isPassive }: LookDeps,
): Promise<QueueLook> {
  const state = await store.queues.read(queue.name);
  const seen = { ...queue, busyKeys: state.busyKeys };
  const age = await oldestDueAge(seen, { store, now });
  const counted = await count(seen);
  return { age, state, counted, failingSeconds: failingNow(state, counted, { now, isPassive })?.seconds };
}

/** The gauges of a queue as it was read at that time. */
export function gaugesOf({ age, state, counted, failingSeconds }: QueueLook, now: number): GaugeValues {
  return {
    waiting: counted?.counts.pending,
    inRetry: counted?.inRetry,
    dead: counted?.counts.dead,
    oldestDueAge: age,
    failing: failingSeconds,
    paused: state.paused ? 1 : 0,
    readingAge: counted && Math.max(0, now - Date.parse(counted.at)) / 1000,
  };
}
