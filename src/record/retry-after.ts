import type { ResolvedPolicy } from '../policies/index.js';
import { policyOf } from './policy-of.js';
import { type BacklogRecord, bornAt } from './record.js';

/** The longest `Retry-After` that is kept, unless the queue says otherwise. */
export const DEFAULT_MAX_RETRY_AFTER_SECONDS = 86_400;

interface RetryAfterLimits {
  /** The policy of the queue, or the one chosen for the failure; the record's own comes before it. */
  readonly policy: ResolvedPolicy;
  /** The queue's limit, in seconds. Default: a day. */
  readonly maxRetryAfter?: number | undefined;
  /** The end of the attempt, epoch milliseconds. */
  readonly now: number;
}

/**
 * The part of a `Retry-After` that is kept: mostly it is a destination's, which could park a record for a year. It is at most the
 * queue's `maxRetryAfter`, the policy's `maxWait`, and what is left of the record's `maxAge`, so that the record dies in its time.
 */
export function keptRetryAfter(
  seconds: number,
  record: BacklogRecord,
  { policy, maxRetryAfter = DEFAULT_MAX_RETRY_AFTER_SECONDS, now }: RetryAfterLimits,
): number {
  const { maxWait, maxAge } = policyOf(record, policy);
  const leftSeconds = Math.max(0, (bornAt(record) - now) / 1000 + maxAge);
  return Math.min(seconds, maxRetryAfter, maxWait, leftSeconds);
}
