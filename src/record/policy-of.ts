import {
  decideRetry,
  limited,
  type ResolvedPolicy,
  type RetryDecision,
  type RetryPolicy,
  resolvePolicy,
} from '../policies/index.js';
import type { SettleContext } from './change.js';
import { type BacklogRecord, bornAt } from './record.js';

/** The record's own policy, or its queue's with the record's own limits. */
export function policyOf({ retry, limits }: BacklogRecord, queuePolicy: ResolvedPolicy): ResolvedPolicy {
  return retry ? resolvePolicy(retry) : limited(queuePolicy, limits);
}

/** The failures that a policy looks at, the newest attempt included. */
type Tried = Pick<BacklogRecord, 'failures' | 'notReady' | 'firstFailureAt'>;

/**
 * The number that a policy goes by: failures, and attempts that found the work not ready, since the last redrive. Both
 * make the waits longer, and count for `maxAttempts`. A `Snooze` with a delay does not.
 */
export function triesOf({ failures, notReady = 0 }: Pick<Tried, 'failures' | 'notReady'>): number {
  return failures + notReady;
}

/** The end of the first of these tries. Undefined: not known, as not all of them are failures. */
export function firstTryAt({ firstFailureAt, notReady = 0 }: Tried): number | undefined {
  return firstFailureAt === undefined || notReady > 0 ? undefined : Date.parse(firstFailureAt);
}

/** Decides by its policy when a record is tried again after an attempt that ended at `context.now`. */
export function decideNext(record: BacklogRecord, tried: Tried, context: SettleContext): RetryDecision {
  const policy = policyOf(record, context.policy);
  const decision = decideRetry(
    policy,
    {
      id: record.id,
      queue: record.queue,
      failures: triesOf(tried),
      firstFailureAt: firstTryAt(tried),
      failedAt: context.now,
      bornAt: bornAt(record),
    },
    context.tickSeconds,
    context.random,
  );
  // On a progressive queue the rules keep the schedule, and a wait may be shorter than the policy's.
  const isPast = context.now > bornAt(record) + policy.maxAge * 1000;
  if (isLeftToRules(record, context) && !decision.retry && decision.reason === 'expired' && !isPast) {
    return { retry: true, dueAt: context.now, wanted: context.now };
  }
  return decision;
}

/** Tells whether a progressive queue's rules keep its schedule: it stays there, and has no waits of its own. */
export function isLeftToRules(
  { retry }: BacklogRecord,
  { retryMode, chosen = false, retryQueue }: SettleContext,
): boolean {
  if (retryMode !== 'progressive' || retryQueue !== undefined) return false;
  return !(retry === undefined ? chosen : hasOwnSchedule(retry));
}

/** Tells whether a policy has waits of its own. `progressive` without tiers leaves them to the rules of the queue. */
export function hasOwnSchedule(policy: RetryPolicy): boolean {
  return !(policy.type === 'progressive' && policy.tiers === undefined);
}

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
