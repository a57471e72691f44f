import { RunLease } from '../leases/lease.js';
import { busyLanesLease } from '../leases/names.js';
import { withHeartbeat } from '../leases/timed-hold.js';
import type { RunDeps } from './deps.js';
import type { BusyKeys } from './guards/busy-keys.js';
import type { Pool, Share } from './guards/pool.js';
import type { RunOptions } from './options.js';
import { ofLanes, type StopReason } from './stop-reason.js';

/**
 * Drains the lanes of a queue's busy keys, all at the same time. One run does so at a time, so that busy keys do not add to the
 * attempts at once of their queue; the others ask it to look once more. Each lane has its own lease beside that.
 */
export async function drainBusyLanes(
  lanes: readonly string[],
  {
    run,
    busyKeys,
    pool,
    drain,
  }: {
    readonly run: RunDeps & { readonly options: RunOptions };
    readonly busyKeys: BusyKeys;
    readonly pool: Pool;
    readonly drain: (lane: string, share: Share) => Promise<StopReason>;
  },
): Promise<StopReason> {
  const { queue } = run.options.target;
  const { invocation, limits } = run.options;
  const lease = new RunLease(busyLanesLease(queue), { ...run, invocation }, limits.attemptTimeout);
  // Before the first request: the queue's own lanes leave an attempt to them.
  let shares = lanes.map((lane) => ({ lane, share: pool.join(true) }));
  try {
    if (!(await lease.acquire([])).held) return 'leaseHeld';
    for (;;) {
      const drained = allOf(shares.map(({ lane, share }) => drain(lane, share).finally(() => share.leave())));
      const ended = ofLanes(await withHeartbeat(drained, () => [], { ...run, hold: lease }));
      if (ended !== 'drained' && ended !== 'leaseHeld') return ended;
      if ((await lease.release()) !== 'woken' || !(await lease.acknowledgeWake())) return ended;
      shares = (await busyKeys.lanes()).map((lane) => ({ lane, share: pool.join(true) }));
    }
  } finally {
    for (const { share } of shares) share.leave();
    await lease.giveBack();
  }
}

/** The results of all, or the first error once all have ended. */
async function allOf<T>(all: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(all);
  return Promise.all(all);
}
