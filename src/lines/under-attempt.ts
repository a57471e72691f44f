import { CLOCK_SKEW_MS, isExpired } from '../leases/timed-hold.js';
import type { OperatorLeaseStore } from '../store/operator-store.js';
import type { ClaimStore } from '../store/store.js';
import type { Clock } from '../support/clock.js';

interface UnderAttemptDeps {
  readonly leases: Pick<OperatorLeaseStore, 'readAll'>;
  readonly claims: Pick<ClaimStore, 'find'>;
  readonly clock: Clock;
}

/**
 * Tells whether a run may have an attempt of a record under way: the journal of a lease or a claim names it. Asked after the record has
 * ended: a run that names it from then on finds that.
 *
 * @param queues all queues in which a run may have claimed it
 */
export async function mayBeAttempted(
  id: string,
  queues: readonly string[],
  { leases, claims, clock }: UnderAttemptDeps,
): Promise<boolean> {
  const claimed = await claims.find(queues, [id], clock.wall() - CLOCK_SKEW_MS);
  if (claimed.ids.length > 0) return true;
  const live = [...(await leases.readAll()).values()].filter((lease) => !isExpired(lease, clock));
  return live.some(({ ids, suspects }) => ids.includes(id) || suspects.includes(id));
}
