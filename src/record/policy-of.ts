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
