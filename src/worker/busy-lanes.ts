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
  readonly guards: { readonly busyKeys?: BusyKeys | undefined };
}

/** @param isAll also what is not kept to the second, whatever the run was started for */
export type Drain = (lane: string, share: Share, isAll?: boolean) => Promise<StopReason>;

/** Time after which the run looks again at lanes that were empty, and at new ones, while others are being drained. */
const LOOK_MS = 5_000;

/** Time after which it looks again at a lane whose records wait for the limit of their keys. */
const LOOK_AT_LIMITED_MS = 10_000;

/** Ends of one lane with which the others go on. */
const GOES_ON: readonly StopReason[] = ['drained', 'leaseHeld', 'keyLimited'];

/**
 * Drains the lanes of a queue's busy keys, all at the same time. One run does so at a time, so that busy keys do not add to the
 * attempts at once of their queue; the others ask it to look once more. Each lane has its own lease beside that.
 */
export async function drainBusyLanes(
  run: LanesRun,
  given: Omit<AllLanes, 'shares' | 'isAll'>,
): Promise<StopReason> {
  const { busyKeys, pool, own } = given;
  const { target, invocation, limits } = run.options;
  const { queue, part = 0, busyLanes } = target;
  // Busy lanes belong to the first of the runs that share a queue's shards.
  const lanes = busyLanes ?? (part === 0 ? await busyKeys.lanes(own) : []);
  // The index may lack what was just put there.
  const isIdle = lanes.length === 0 || (!busyLanes && !(await hasDue(lanes, run)));
  if (isIdle) return 'drained';
  const lease = new RunLease(busyLanesLease(queue), { ...run, invocation }, limits.attemptTimeout);
  const shares = new Map(lanes.map((one) => [one, pool.join(true)]));
  try {
    if (!(await lease.acquire([])).held) return 'leaseHeld';
    for (let isAll = false; ; isAll = true) {
      const drained = drainAll(run, { ...given, shares, isAll });
      const ended = await withHeartbeat(drained, () => [], { ...run, hold: lease });
      if (!GOES_ON.includes(ended)) return ended;
      if ((await lease.release()) !== 'woken' || !(await lease.acknowledgeWake())) return ended;
      for (const one of await busyKeys.lanes(own)) shares.set(one, pool.join(true));
    }
  } finally {
    for (const share of shares.values()) share.leave();
    await lease.giveBack();
  }
}

/** Tells whether anything is due in one of the lanes: queries cost less than a lease. */
async function hasDue(lanes: readonly string[], { store, clock }: LanesRun): Promise<boolean> {
  const until = clock.now();
  const firsts = await Promise.all(
    lanes.map((lane) => store.pages.query({ lane, until, order: 'oldestFirst', limit: 1 })),
  );
  return firsts.some(({ keys }) => keys.length > 0);
}

interface AllLanes {
  readonly busyKeys: BusyKeys;
  readonly pool: Pool;
  readonly drain: Drain;
  /** Lanes that the run drains anyway. */
  readonly own: readonly string[];
  /** The share of each lane that is being drained, or is to be drained first. Empty at the end. */
  readonly shares: Map<string, Share>;
  readonly isAll: boolean;
}

/**
 * Drains lanes until all are empty. A deep one must not delay the others, which no other run drains meanwhile: a lane that was empty, or
 * is new, takes its turns beside it.
 *
 * @throws the first error, once all have ended
 */
async function drainAll({ clock }: LanesRun, given: AllLanes): Promise<StopReason> {
  const { busyKeys, pool, drain, own, shares, isAll } = given;
  const over = new AbortController();
  const errors: unknown[] = [];
  /** Lanes whose records had to wait for the limit of their keys when they were drained last, and the time of that. */
  const limited = new Map<string, number>();
  let ended: StopReason = 'drained';
  const begin = async (one: string, share: Share, isLater: boolean) => {
    try {
      const end = await drain(one, share, isAll || isLater);
      if (end === 'keyLimited') limited.set(one, clock.wall());
      else limited.delete(one);
      ended = ofLanes([ended, end]);
    } catch (error) {
      errors.push(error);
    }
    share.leave();
    shares.delete(one);
    if (shares.size === 0) over.abort('all lanes are empty');
  };
  for (const [one, share] of shares) void begin(one, share, false);
  while (shares.size > 0) {
    await clock.sleep(LOOK_MS, over.signal);
    if (over.signal.aborted || errors.length > 0 || !GOES_ON.includes(ended)) continue;
    // Lanes that are limited would keep each other in turns until the deadline.
    const areLimited = [...shares.keys()].every((one) => limited.has(one));
    const waits = (since: number) => areLimited || clock.wall() < since + LOOK_AT_LIMITED_MS;
    const isLeft = (one: string) => shares.has(one) || waits(limited.get(one) ?? Number.NEGATIVE_INFINITY);
    for (const one of busyKeys.lanesNow(own).filter((other) => !isLeft(other))) {
      const share = pool.join(true);
      shares.set(one, share);
      void begin(one, share, true);
    }
  }
  if (errors.length > 0) throw errors[0];
  return ended;
}
