import type { Random } from '../random.js';
import { phaseOf } from './hash.js';
import { type Jitter, spread } from './jitter.js';
import type { WaitRange } from './policy.js';
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
 * When a failed record is due again: the policy's wait, spread by its jitter. With the fixed phase, the default:
 *
 *     k   = 1 + a (2u - 1)                                  u: the record's phase, a: the amplitude
 *     due = max(last + base(n) k - min(T, base(n) / 2),     never early, but for the tick it waited for
 *               first + B_n k)                              B_n: the sum of the base waits so far
 *           and no later than last + base(n) k              whatever policy the failures before had
 *
 * Counting from the first failure keeps a spread that is narrower than a tick T from being rounded away at every
 * tick anew. Without jitter it is plainly `last + base(n)` (seed 003).
 *
 * @param tickSeconds how often the queue is polled
 * @param random drawn from once for a wait that is left to chance
 */
export function decideRetry(
  policy: ResolvedPolicy,
  attempt: FailedAttempt,
  tickSeconds: number,
  random: Random,
): RetryDecision {
  if (attempt.failures >= policy.maxAttempts) return { retry: false, reason: 'maxAttempts' };
  const wait = policy.baseWait({
    failures: attempt.failures,
    ageSeconds: (attempt.failedAt - attempt.bornAt) / 1000,
  });
  // A formula that says "never again" has run out of attempts, or of ages.
  if (wait === undefined)
    return { retry: false, reason: policy.type === 'progressive' ? 'expired' : 'maxAttempts' };
  const { jitter } = policy;
  const dueAt = Math.ceil(
    jitter.type === 'phase' && wait.least === wait.most
      ? phased(policy, attempt, jitter.amplitude, wait.most, tickSeconds)
      : attempt.failedAt + drawn(wait, jitter, random) * 1000,
  );
  const expiresAt = attempt.bornAt + policy.maxAgeSeconds * 1000;
  return dueAt > expiresAt ? { retry: false, reason: 'expired' } : { retry: true, dueAt };
}

/** A wait in seconds: drawn from the policy's own range, or from what the jitter makes of its wait. */
function drawn(wait: WaitRange, jitter: Jitter, random: Random): number {
  const { least, most } = wait.least === wait.most ? spread(wait.most, jitter) : wait;
  return least === most ? most : least + random() * (most - least);
}

/** A count may be anything, and sums take time; beyond it the wait after the last failure alone decides. */
const MOST_FAILURES = 100_000;

function phased(
  policy: ResolvedPolicy,
  attempt: FailedAttempt,
  amplitude: number,
  base: number,
  tickSeconds: number,
): number {
  const k = 1 + amplitude * (2 * phaseOf(attempt.id, attempt.queue) - 1);
  const total = policy.totalSeconds(Math.min(attempt.failures, MOST_FAILURES));
  // A wide phase may leave less than the tick: due at the next one, not in the past, which a run would meet again.
  const fromLast = attempt.failedAt + Math.max(0, base * k - Math.min(tickSeconds, base / 2)) * 1000;
  const fromFirst = attempt.firstFailureAt + total * k * 1000;
  // Past failures may have waited less than this policy's sum: for another policy, or for a shorter first one.
  return Math.min(attempt.failedAt + base * k * 1000, Math.max(fromLast, fromFirst));
}
