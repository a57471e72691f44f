import { phaseOf } from './hash.js';
import type { ResolvedPolicy } from './resolve.js';

/** A failed attempt, as far as the next one depends on it. Times in epoch milliseconds. */
export interface FailedAttempt {
  readonly id: string;
  readonly queue: string;
  /** Failures so far, this one included. */
  readonly failures: number;
  readonly firstFailureAt: number;
  readonly failedAt: number;
  /** What the age counts from. */
  readonly bornAt: number;
}

export type RetryDecision =
  | { readonly retry: true; readonly dueAt: number }
  | { readonly retry: false; readonly reason: 'maxAttempts' | 'expired' };

/**
 * When a failed record is due again: the policy's wait, spread by the record's own phase.
 *
 *     k   = 1 + a (2u - 1)                                  u: the record's phase, a: the amplitude
 *     due = max(last + base(n) k - min(T, base(n) / 2),     never early, but for the tick it waited for
 *               first + B_n k)                              B_n: the sum of the base waits so far
 *
 * Counting from the first failure keeps a spread that is narrower than a tick T from being rounded away at every
 * tick anew. Without jitter it is plainly `last + base(n)` (seed 003).
 *
 * @param tickSeconds how often the queue is polled
 */
export function decideRetry(
  policy: ResolvedPolicy,
  attempt: FailedAttempt,
  tickSeconds: number,
): RetryDecision {
  if (attempt.failures >= policy.maxAttempts) return { retry: false, reason: 'maxAttempts' };
  const base = baseWait(policy, attempt, attempt.failures);
  // A formula that says "never again" without a limit on attempts has run out of ages (progressive).
  if (base === undefined) return { retry: false, reason: policy.type === 'none' ? 'maxAttempts' : 'expired' };
  const dueAt = Math.ceil(
    policy.jitterAmplitude === 0
      ? attempt.failedAt + base * 1000
      : phased(policy, attempt, base, tickSeconds),
  );
  const expiresAt = attempt.bornAt + policy.maxAgeSeconds * 1000;
  return dueAt > expiresAt ? { retry: false, reason: 'expired' } : { retry: true, dueAt };
}

function phased(policy: ResolvedPolicy, attempt: FailedAttempt, base: number, tickSeconds: number): number {
  const k = 1 + policy.jitterAmplitude * (2 * phaseOf(attempt.id, attempt.queue) - 1);
  // Whoever waits longer than the greatest age is given up, however much longer: a count may be anything.
  const longest = policy.maxAgeSeconds / k;
  let total = 0;
  for (let n = 1; n <= attempt.failures && total <= longest; n++) {
    total += baseWait(policy, attempt, n) ?? 0;
  }
  const fromLast = attempt.failedAt + (base * k - Math.min(tickSeconds, base / 2)) * 1000;
  const fromFirst = attempt.firstFailureAt + total * k * 1000;
  return Math.max(fromLast, fromFirst);
}

function baseWait(policy: ResolvedPolicy, attempt: FailedAttempt, failures: number): number | undefined {
  return policy.baseWaitSeconds({ failures, ageSeconds: (attempt.failedAt - attempt.bornAt) / 1000 });
}
