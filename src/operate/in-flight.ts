import type { Clock } from '../clock.js';
import { CLOCK_SKEW_MS } from '../leases/lease.js';
import { type Random, randomToken } from '../random.js';
import { type BacklogRecord, DEAD_LANE_ENDING, isPending, laneOf } from '../record/index.js';
import type { Found, OperatorStore } from '../store/operator-store.js';
import type { LeaseState } from '../store/store.js';
import { isHeld } from './changes.js';
import { isLeaseOf } from './lanes.js';

interface InFlightDeps {
  readonly store: OperatorStore;
  readonly clock: Clock;
  readonly random: Random;
}

/** Longer than one write takes; if this process ends, other processes wait for no longer. */
const CLAIM_MS = 60_000;

export function isLive({ until }: LeaseState, clock: Clock): boolean {
  return until + CLOCK_SKEW_MS >= clock.wall();
}

/** The leases of a lane that a run may be at work under. */
export function liveLeases(
  leases: ReadonlyMap<string, LeaseState>,
  lane: string,
  clock: Clock,
): [key: string, lease: LeaseState][] {
  return [...leases].filter(([key, lease]) => isLeaseOf(lane, key) && isLive(lease, clock));
}

/**
 * Another lane in which a record may be under attempt: an operator has taken it out of that lane a moment ago, or a
 * person has set it to `DEAD` by hand. Undefined: none. In its own lane, the lane's lease ensures that no run attempts
 * it a second time.
 */
function otherPlace(record: BacklogRecord, now: number): string | undefined {
  if (isHeld(record, now)) return record.formerLane?.lane;
  const lane = laneOf(record.queue);
  const isInPlace = isPending(record) || record.lane?.endsWith(DEAD_LANE_ENDING) === true;
  return isInPlace ? undefined : (record.lane ?? lane);
}

/**
 * Of these records, which are pending in one lane now and may be under attempt in another: to bring their next attempt
 * forward would be to attempt them twice. No run can begin to attempt the other records elsewhere, as long as they stay
 * as they were read.
 */
export async function findInFlight(
  found: readonly Found[],
  { store, clock }: InFlightDeps,
): Promise<Set<string>> {
  const now = clock.now();
  const places = found.flatMap(({ record }) => {
    const lane = otherPlace(record, now);
    return lane === undefined ? [] : [{ record, lane }];
  });
  if (places.length === 0) return new Set();
  const leases = await store.readLeases();
  const busy = places.filter(({ lane }) => liveLeases(leases, lane, clock).length > 0);
  const bare = places.map(({ record }) => record).filter(({ lane }) => lane === undefined);
  const queues = bare.length === 0 ? [] : [...(await store.readQueues()).keys()];
  const claimed = await claimedIn(
    queues,
    bare.map(({ id }) => id),
    { store, clock },
  );
  return new Set([...busy.map(({ record }) => record.id), ...claimed]);
}

async function claimedIn(
  queues: readonly string[],
  ids: readonly string[],
  { store, clock }: Pick<InFlightDeps, 'store' | 'clock'>,
): Promise<readonly string[]> {
  return (await store.claimedArrivals(queues, ids, clock.wall() - CLOCK_SKEW_MS)).ids;
}

/**
 * Does something with a record that is not indexed, while no run attempts it on insertion. Undefined: a run has claimed
 * it.
 */
export async function withClaim<Answer>(
  record: BacklogRecord,
  { store, clock, random }: InFlightDeps,
  act: () => Promise<Answer>,
): Promise<Answer | undefined> {
  const { id, queue } = record;
  // Its producer may have put it into another queue since a run was given it.
  const queues = [...new Set([queue, ...(await store.readQueues()).keys()])];
  if ((await claimedIn(queues, [id], { store, clock })).length > 0) return undefined;
  const holder = randomToken(random);
  const now = clock.wall();
  const claim = {
    batch: `operate/${holder}`,
    holder,
    until: now + CLAIM_MS,
    ids: [id],
    now: now - CLOCK_SKEW_MS,
  };
  try {
    return (await store.claimArrivals(queue, claim)) === 'claimed' ? await act() : undefined;
  } finally {
    // One that cannot be given back runs out by itself.
    await store.releaseArrivals(queue, claim).catch(() => {});
  }
}
