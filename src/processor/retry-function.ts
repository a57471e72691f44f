import { type ResolvedPolicy, type RetryPolicy, resolvePolicy } from '../policies/index.js';
import type { AttemptOutcome, BacklogRecord } from '../record/index.js';
import { show } from '../validation.js';

/**
 * Decides after every failure, by the error and the record: a wait in seconds, a policy, or `false` for dead at once.
 *
 * @param error what `process` threw; an error of that name and message where it threw none
 * @param record with this failure counted in `failures` and `attempts`
 */
export type RetryFunction = (error: Error, record: BacklogRecord) => number | RetryPolicy | false;

type Failure = Extract<AttemptOutcome, { type: 'failure' }>;

/** What a retry function makes of a failure. */
export interface Asked {
  readonly outcome: AttemptOutcome;
  readonly policy: ResolvedPolicy;
  /** What was wrong with the function's answer; the policy is the fallback then. */
  readonly problem?: string | undefined;
}

/** Asks the user's function. Whatever it does, the record is settled: a bad answer leaves the decision to the fallback. */
export function askRetryFunction(
  retry: RetryFunction,
  failure: Failure,
  record: BacklogRecord,
  fallback: ResolvedPolicy,
): Asked {
  const counted = { ...record, failures: record.failures + 1, attempts: record.attempts + 1 };
  try {
    const answer = retry(errorOf(failure), counted);
    if (answer === false) {
      return {
        outcome: { type: 'dead', because: 'the retry function gave it up', error: failure.error },
        policy: fallback,
      };
    }
    return { outcome: failure, policy: policyOf(answer, fallback) };
  } catch (error) {
    return {
      outcome: failure,
      policy: fallback,
      problem: `retry function: ${(error as Error)?.message ?? show(error)}`,
    };
  }
}

function policyOf(answer: number | RetryPolicy, fallback: ResolvedPolicy): ResolvedPolicy {
  const policy = resolvePolicy(typeof answer === 'number' ? waiting(answer) : answer, 'its answer');
  return { ...policy, maxAgeSeconds: Math.min(policy.maxAgeSeconds, fallback.maxAgeSeconds) };
}

/** A wait of nothing is the next tick. */
function waiting(seconds: number): RetryPolicy {
  return { type: 'constant', intervalSeconds: seconds === 0 ? Number.MIN_VALUE : seconds, jitter: 'none' };
}

function errorOf({ thrown, error: { name, message } }: Failure): Error {
  return thrown instanceof Error ? thrown : Object.assign(new Error(message), { name });
}
