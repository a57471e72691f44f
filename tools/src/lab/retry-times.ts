import { decideRetry, type Random, type ResolvedPolicy } from 'dynamo-backlog/engine';

/** A record that fails at second 0, and again at every retry. */
export interface HopelessRecord {
  readonly id: string;
  readonly queue: string;
}

/**
 * The retries of a record that fails at second 0 and then whenever it is due; in seconds from there, to the
 * millisecond. The intervals of rules are left out. Ends with the policy, or after `retries`.
 */
export function retryTimes(
  policy: ResolvedPolicy,
  { id, queue }: HopelessRecord,
  { retries, random }: { readonly retries: number; readonly random: Random },
): number[] {
  const times: number[] = [];
  for (let failedAt = 0; times.length < retries; ) {
    const failures = times.length + 1;
    const attempt = { id, queue, failures, firstFailureAt: 0, failedAt, bornAt: 0 };
    const decision = decideRetry(policy, attempt, 0, random);
    if (!decision.retry) break;
    failedAt = Math.ceil(decision.wanted);
    times.push(failedAt / 1000);
  }
  return times;
}
