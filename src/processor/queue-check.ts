import type { Clock } from '../clock.js';
import type { Way } from '../record/index.js';
import type { BacklogStore, QueueState } from '../store/store.js';
import { CLOCK_SKEW_MS } from './lease.js';
import type { RunTarget } from './options.js';
import type { RunEnd } from './summary.js';

export interface QueueCheck {
  readonly target: RunTarget;
  /** The run's own. */
  readonly way: Way;
  readonly store: BacklogStore;
  readonly clock: Clock;
  readonly functionTimeoutSeconds: number;
  /** The run has not looked at the queue before. */
  readonly first: boolean;
}

/**
 * Whether the queue lets a run go on. A queue whose way of retrying was changed waits one function timeout before the
 * new way's first attempt: a run of the old way, under another lease, may still be at work on the same records.
 */
export async function checkQueue(queue: QueueState, check: QueueCheck): Promise<RunEnd | undefined> {
  if (queue.paused) return 'paused';
  const { target, way, store, clock, first } = check;
  const now = clock.wall();
  if (queue.way === undefined) {
    // The queue's very first run: there is no other way's run to wait for. Unless nobody can tell any more.
    const since = queue.isWayDamaged ? now : 0;
    return (await store.setWay(target.queue, { way, since }, undefined)) && since === 0
      ? undefined
      : 'wayChanged';
  }
  if (queue.way.since > now + CLOCK_SKEW_MS) {
    // No clock has shown that: it would keep the queue from its runs until then.
    await store.setWay(target.queue, { way: queue.way.way, since: now }, queue.way);
    return 'wayChanged';
  }
  if (queue.way.way !== way) {
    // A run that began under its own way and finds another one now is of the old deployment: it gives way.
    if (first) await store.setWay(target.queue, { way, since: now }, queue.way);
    return 'wayChanged';
  }
  const settledAt = queue.way.since + check.functionTimeoutSeconds * 1000;
  return queue.way.since > 0 && now < settledAt ? 'wayChanged' : undefined;
}
