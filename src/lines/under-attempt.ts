import { busyLanesLease } from '../leases/names.js';
import { CLOCK_SKEW_MS, isExpired } from '../leases/timed-hold.js';
import { lanesOf } from '../record/index.js';
import type { ControlStore } from '../store/operator-store.js';
import type { ClaimStore } from '../store/store.js';
import type { Clock } from '../support/clock.js';

interface UnderAttemptDeps {
  readonly control: Pick<ControlStore, 'readRunsOf'>;
  readonly claims: Pick<ClaimStore, 'find'>;
  readonly clock: Clock;
}

/**
 * Tells whether a run may have an attempt of a record under way: the journal of a lease or a claim names it. Asked after the record has
 * ended: a run that names it from then on finds that. Reads one item for each lane that a queue may have, 34 in all.
 */
export async function mayBeAttempted(
  id: string,
  queue: string,
  { control, claims, clock }: UnderAttemptDeps,
): Promise<boolean> {
  const claimed = await claims.find([queue], [id], clock.wall() - CLOCK_SKEW_MS);
  if (claimed.ids.length > 0) return true;
  const { leases } = await control.readRunsOf(queue, [...lanesOf(queue), busyLanesLease(queue)]);
  const live = [...leases.values()].filter((lease) => !isExpired(lease, clock));
  return live.some(({ ids, suspects }) => ids.includes(id) || suspects.includes(id));
}
