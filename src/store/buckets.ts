import { hash32 } from '../support/hash.js';
import type { ArrivalsClaim } from './store.js';

/** What one item has no room for, or takes too few writes for, is spread over several by a hash. Both stores do so. */

/** Items that hold the claims of a queue with shards; those of a queue without are all in the first one. */
export const CLAIM_BUCKETS = 4;

/** The item that holds a batch's claim: the same one each time for the same batch. */
export function claimBucketOf({ batch, isSpread }: Pick<ArrivalsClaim, 'batch' | 'isSpread'>): number {
  return isSpread ? hash32(batch) % CLAIM_BUCKETS : 0;
}

/** Claims that one of the items takes. */
export function runsPerBucket({
  maxRuns,
  isSpread,
}: Pick<ArrivalsClaim, 'maxRuns' | 'isSpread'>): number | undefined {
  if (maxRuns === undefined || !isSpread) return maxRuns;
  return Math.max(1, Math.floor(maxRuns / CLAIM_BUCKETS));
}

/** Breakers of their own in the item of their queue, which every page reads. */
export const OWN_BREAKERS = 50;
/** Items that the others share, by the hash of their destinations' names. */
const SHARED_BREAKERS = 65_536;

/** Which of the shared breakers is a destination's: where the queue's item has no room for one of its own. */
export function sharedBreakerOf(destination: string): string {
  return String(hash32(destination) % SHARED_BREAKERS);
}
