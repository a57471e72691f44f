import { holdMs } from '../../leases/timed-hold.js';
import type { Clock } from '../../support/clock.js';
import type { AttemptLogger } from '../../support/logger.js';
import type { Random } from '../../support/random.js';

/** The length of a hold on slots, as of a lease. A lost run's slots are free after that, or when its death is reported. */
export const SLOTS_MS = holdMs(0);
/** An attempt starts only if its slot lasts for all of it, or for so long where it may take longer. */
const MAX_COVER_SECONDS = 30;
/** Time between the end of an attempt and the end of its slot; as much is left for the renewal before that. */
const SPARE_MS = 5_000;
/** Time after which a run asks again for slots that other runs had, beside those that it has. */
export const ASK_AGAIN_MS = 5_000;

/** The dependencies of one run's hold on slots. */
export interface SlotHoldDeps {
  readonly queue: string;
  /** Time of one attempt, in seconds. */
  readonly attemptTimeout: number;
  /** The function's request id: Lambda reports a death by it. Default: no deaths are reported. */
  readonly invocation?: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: AttemptLogger;
}

/** Milliseconds for which attempts may still start with slots that last until then. 0 or less: none may. */
export function startableMs(until: number, { attemptTimeout, clock }: SlotHoldDeps): number {
  const coverMs = Math.min(attemptTimeout, MAX_COVER_SECONDS) * 1000;
  return until - clock.wall() - coverMs - SPARE_MS;
}

/** Milliseconds until slots that last until then should be renewed. */
export function slotsRenewInMs(until: number, deps: SlotHoldDeps): number {
  return startableMs(until, deps) - SPARE_MS;
}
