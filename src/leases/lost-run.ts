import { lanesOf, type RetryMode } from '../record/index.js';
import type { BacklogStore, LostRun } from '../store/store.js';
import type { Clock } from '../support/clock.js';
import { busyLanesLease, holderPrefixOf, leaseName } from './names.js';
import { CLOCK_SKEW_MS } from './timed-hold.js';

/** One queue that a lost run served. */
export interface LostQueue {
  readonly queue: string;
  readonly retryMode: RetryMode;
  readonly shards?: number | undefined;
  /** Keys may have lanes of their own in it. Default: false. */
  readonly fairness?: boolean | undefined;
  /** The numbers of its tiers; of a queue that retries per record, none. */
  readonly tiers: readonly number[];
  /** The run attempted records on arrival. */
  readonly onArrival: boolean;
}

/** The holds of a lost run that were ended, and its losses. */
export interface EndedHolds {
  readonly leases: number;
  readonly claims: number;
  /** Queues in which it had slots of `globalConcurrency`. */
  readonly slots: number;
  /** Queues in which it had slots of keys. */
  readonly keySlots: number;
  /** The runs lost in succession in the lane where most were, this one included. */
  readonly losses: number;
}

/**
 * Ends the leases, claims and slots of a run whose process has died, before they run out by themselves. The journals stay, so the
 * next run finds what was in flight. What any other run holds is left alone, and so is what has ended already.
 *
 * @param invocation the request id by which the death was reported
 */
export async function endLostRun(
  invocation: string,
  queues: readonly LostQueue[],
  { store, clock }: { readonly store: BacklogStore; readonly clock: Clock },
): Promise<EndedHolds> {
  // Expired by the clock of any machine.
  const lost: LostRun = {
    holderPrefix: holderPrefixOf(invocation),
    until: clock.wall() - 2 * CLOCK_SKEW_MS,
  };
  const names = queues.map(({ queue }) => queue);
  const fair = queues.filter(({ fairness }) => fairness).map(({ queue }) => queue);
  const [slots, keySlots] = await Promise.all([
    store.slots.end(names, lost),
    fair.length === 0 ? 0 : store.keySlots.end(fair, lost),
  ]);
  const leases = queues.flatMap(leaseNamesOf);
  const losses = await Promise.all(leases.map((name) => store.leases.end(name, lost)));
  const ended = losses.filter((count) => count !== undefined);
  const arriving = queues.filter(({ onArrival }) => onArrival);
  const claims = await Promise.all(arriving.map(({ queue }) => store.claims.end(queue, lost)));
  return {
    leases: ended.length,
    claims: claims.reduce((sum, count) => sum + count, 0),
    slots,
    keySlots,
    losses: Math.max(0, ...ended),
  };
}

function leaseNamesOf({ queue, retryMode, shards = 1, fairness, tiers }: LostQueue): string[] {
  if (fairness) return [...lanesOf(queue), busyLanesLease(queue)];
  const lanes = lanesOf(queue, 0, shards);
  if (retryMode === 'perRecord') return lanes.map((lane) => leaseName(lane, undefined));
  return lanes.flatMap((lane) => tiers.map((number) => leaseName(lane, { number })));
}
