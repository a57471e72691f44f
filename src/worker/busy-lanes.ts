import { RunLease } from '../leases/lease.js';
import { busyLanesLease } from '../leases/names.js';
import { withHeartbeat } from '../leases/timed-hold.js';
import type { RunDeps } from './deps.js';
import type { BusyKeys } from './guards/busy-keys.js';
import type { Pool, Share } from './guards/pool.js';
import type { RunOptions } from './options.js';
import { ofLanes, type StopReason } from './stop-reason.js';

/** A run of a queue, as far as the draining of several lanes needs it. */
export interface LanesRun extends RunDeps {
  readonly options: RunOptions;
  readonly guards: { readonly busyKeys: BusyKeys | undefined };
}

export type Drain = (lane: string, share: Share) => Promise<StopReason>;

/**
 * Drains the lanes of a queue's busy keys, all at the same time. One run does so at a time, so that busy keys do not add to the
 * attempts at once of their queue; the others ask it to look once more. Each lane has its own lease beside that.
 */
export async function drainBusyLanes(
  run: LanesRun,
  given: { readonly busyKeys: BusyKeys; readonly pool: Pool; readonly drain: Drain },
): Promise<StopReason> {
  const { busyKeys, pool, drain } = given;
  const { target, invocation, limits } = run.options;
  const { queue, part = 0, lane, lanes: own = [lane], busyLanes } = target;
  // Of several runs that share the shards of a queue, one has them.
  const lanes = busyLanes ?? (part === 0 ? await busyKeys.lanes(own) : []);
  if (lanes.length === 0) return 'drained';
  const lease = new RunLease(busyLanesLease(queue), { ...run, invocation }, limits.attemptTimeout);
  const join = (some: readonly string[]) => some.map((one) => ({ one, share: pool.join(true) }));
  let joined = join(lanes);
  try {
    if (!(await lease.acquire([])).held) return 'leaseHeld';
    for (;;) {
      const drained = joined.map(({ one, share }) => drain(one, share).finally(() => share.leave()));
      const ended = ofLanes(await withHeartbeat(allOf(drained), () => [], { ...run, hold: lease }));
      if (ended !== 'drained' && ended !== 'leaseHeld') return ended;
      if ((await lease.release()) !== 'woken' || !(await lease.acknowledgeWake())) return ended;
      joined = join(await busyKeys.lanes(own));
    }
  } finally {
    for (const { share } of joined) share.leave();
    await lease.giveBack();
  }
}

/** The results of all, or the first error once all have ended. */
async function allOf<T>(all: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(all);
  return Promise.all(all);
}
