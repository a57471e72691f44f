import { Claim, withClaim } from '../leases/claim.js';
import { CLOCK_SKEW_MS, isExpired } from '../leases/timed-hold.js';
import { type BacklogRecord, DEAD_LANE_ENDING, isPending, laneOf, previousLaneOf } from '../record/index.js';
import type { OperatorStore } from '../store/operator-store.js';
import type { Clock } from '../support/clock.js';
import type { Random } from '../support/random.js';

interface InFlightDeps {
  readonly store: OperatorStore;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Another lane in which a record may be under attempt: an operator has taken it out of that lane a moment ago, or a
 * person has set it to `DEAD` by hand. Undefined: none. In its own lane, the lane's lease ensures that no run attempts
 * it a second time.
 */
function otherLaneOf(record: BacklogRecord, now: number): string | undefined {
  const isInLane = isPending(record) || record.lane?.endsWith(DEAD_LANE_ENDING) === true;
  return previousLaneOf(record, now) ?? (isInLane ? undefined : (record.lane ?? laneOf(record.queue)));
}

/**
 * The ids of the records that may be under attempt in another lane than their own: a lease of that lane names them, or a
 * run has claimed them on arrival. If their next attempt were brought forward, they could be attempted twice.
 *
 * A run reads a page only once its journal names it, and a suspect before that is named as such. So a record that no lease
 * names is under no attempt, and a run that names it from now on finds that it is gone.
 */
export async function findInFlight(
  records: readonly BacklogRecord[],
  { store, clock }: InFlightDeps,
): Promise<Set<string>> {
  const now = clock.now();
  const elsewhere = records.flatMap((record) => {
    const lane = otherLaneOf(record, now);
    return lane === undefined ? [] : [{ record, lane }];
  });
  if (elsewhere.length === 0) return new Set();
  const leases = await store.leases.readAll();
  const live = [...leases].filter(([, lease]) => !isExpired(lease, clock));
  const busy = elsewhere.filter(({ record: { id }, lane }) =>
    live.some(
      ([key, { ids, suspects }]) => isLeaseOf(lane, key) && (ids.includes(id) || suspects.includes(id)),
    ),
  );
  // Cancelled by its producer before it was indexed: a run may still attempt it as it came.
  const bare = elsewhere
    .map(({ record }) => record)
    .filter((record) => record.lane === undefined || previousLaneOf(record, now) === laneOf(record.queue));
  const queues = bare.length === 0 ? [] : [...(await store.queues.readAll()).keys()];
  const claimed = await claimedIn(
    queues,
    bare.map(({ id }) => id),
    { store, clock },
  );
  return new Set([...busy.map(({ record }) => record.id), ...claimed]);
}

/** Tells whether a lease's key is that of a lane or of one of its tiers. The lane of another shard may match as well. */
function isLeaseOf(lane: string, key: string): boolean {
  return key === lane || key.startsWith(`${lane}#`);
}

async function claimedIn(
  queues: readonly string[],
  ids: readonly string[],
  { store, clock }: Pick<InFlightDeps, 'store' | 'clock'>,
): Promise<readonly string[]> {
  return (await store.claims.find(queues, ids, clock.wall() - CLOCK_SKEW_MS)).ids;
}

/**
 * Does something with a record that is not indexed, while no run attempts it on insertion. Undefined: a run has claimed
 * it.
 */
export async function whileClaimed<Answer>(
  record: BacklogRecord,
  deps: InFlightDeps,
  act: () => Promise<Answer>,
): Promise<Answer | undefined> {
  const { id, queue } = record;
  // Its producer may have put it into another queue since a run was given it.
  const queues = [...new Set([queue, ...(await deps.store.queues.readAll()).keys()])];
  if ((await claimedIn(queues, [id], deps)).length > 0) return undefined;
  const claim = new Claim({ queue, ids: [id], isSpread: false }, deps);
  return withClaim(claim, async (answer) => (answer === 'claimed' ? act() : undefined));
}
