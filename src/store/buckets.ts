import { hash32 } from '../support/hash.js';
import type { ArrivalsClaim } from './store.js';

/** Open breakers that one queue's item has room for; every page reads it. */
export const MAX_OPEN_BREAKERS = 50;

/** Items that hold the claims of a queue with shards; those of a queue without are all in the first one. */
export const CLAIM_BUCKETS = 4;

/** The item that holds a batch's claim: the same one each time for the same batch. */
export function claimBucketOf({ batch, isSpread }: Pick<ArrivalsClaim, 'batch' | 'isSpread'>): number {
  return isSpread ? hash32(batch) % CLAIM_BUCKETS : 0;
}

/** Claims that the item of a batch takes: a part of all, so that the parts add up to them; one at least. */
export function runsPerBucket(
  claim: Pick<ArrivalsClaim, 'batch' | 'maxRuns' | 'isSpread'>,
): number | undefined {
  const { maxRuns, isSpread } = claim;
  if (maxRuns === undefined || !isSpread) return maxRuns;
  const hasOneMore = claimBucketOf(claim) < maxRuns % CLAIM_BUCKETS;
  return Math.max(1, Math.floor(maxRuns / CLAIM_BUCKETS) + (hasOneMore ? 1 : 0));
}
