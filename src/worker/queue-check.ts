import { CLOCK_SKEW_MS } from '../leases/timed-hold.js';
import type { RetryMode } from '../record/index.js';
import type { BacklogStore, QueueState } from '../store/store.js';
import type { Clock } from '../support/clock.js';
import type { RunTarget } from './options.js';
import type { StopReason } from './stop-reason.js';

export interface QueueCheck {
  readonly target: RunTarget;
  /** The run's own. */
  readonly retryMode: RetryMode;
  readonly store: BacklogStore;
  readonly clock: Clock;
  readonly functionTimeoutSeconds: number;
  /** The run has not looked at the queue before. */
  readonly first: boolean;
}

/**
 * Returns the reason why the queue lets no run go on, if there is one. A queue whose retry mode was changed waits one
 * function timeout before the new mode's first attempt: a run of the old mode, under another lease, may still be at work on
 * the same records.
 */
export async function checkQueue(queue: QueueState, check: QueueCheck): Promise<StopReason | undefined> {
  if (queue.paused) return 'paused';
  const { target, retryMode, store, clock, first } = check;
  const now = clock.wall();
  if (queue.retryMode === undefined) {
    // The queue's very first run: there is no run of another mode to wait for, unless the stored mode is damaged.
    const since = queue.isRetryModeDamaged ? now : 0;
    return (await store.queues.setRetryMode(target.queue, { mode: retryMode, since }, undefined)) &&
      since === 0
      ? undefined
      : 'retryModeChanged';
  }
  if (queue.retryMode.since > now + CLOCK_SKEW_MS) {
    // No clock has shown that: it would keep the queue from its runs until then.
    await store.queues.setRetryMode(
      target.queue,
      { mode: queue.retryMode.mode, since: now },
      queue.retryMode,
    );
    return 'retryModeChanged';
  }
  if (queue.retryMode.mode !== retryMode) {
    // A run that began under its own mode and finds another one now is of the old deployment: it ends.
    if (first)
      await store.queues.setRetryMode(target.queue, { mode: retryMode, since: now }, queue.retryMode);
    return 'retryModeChanged';
  }
  const settledAt = queue.retryMode.since + check.functionTimeoutSeconds * 1000;
  return queue.retryMode.since > 0 && now < settledAt ? 'retryModeChanged' : undefined;
}
