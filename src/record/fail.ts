import { toIso } from '../clock.js';
import { decideRetry, type ResolvedPolicy, type RetryPolicy, resolvePolicy } from '../policies/index.js';
import { attemptOf, die, historyOf, type RecordChange, type SettleContext, waitUntil } from './change.js';
import { type ErrorText, errorEntry, truncate } from './history.js';
import { type BacklogRecord, bornAt } from './record.js';

/** The worker ended in the middle of the attempt: process exit, out of memory, or the function's timeout. */
export const WORKER_LOST = 'WorkerLost';
/** The loss of a worker is no proof against the record: never dead of it before its second attempt. */
const LEAST_ATTEMPTS_LOST = 2;
const MAX_REASON_BYTES = 200;

interface Failed {
  readonly error: ErrorText;
  readonly ms?: number | undefined;
}

/** A failure that the policy decides about. */
export function fail(
  record: BacklogRecord,
  failed: Failed & { readonly retryAfterSeconds?: number | undefined },
  context: SettleContext,
): RecordChange {
  const { error, retryAfterSeconds = 0 } = failed;
  const change = failureOf(record, error, context);
  const earliest = context.now + retryAfterSeconds * 1000;
  const decision = retryOf(record, change, context);
  if (!decision.retry && (error.name !== WORKER_LOST || change.attempts >= LEAST_ATTEMPTS_LOST)) {
    return giveUp(record, failed, decision.reason, context);
  }
  const decided = decision.retry ? decision.dueAt : context.now + context.tickSeconds * 1000;
  const dueAt = isLeftToRules(record, context) ? earliest : Math.max(earliest, decided);
  const { set, remove, next } = waitUntil(record, dueAt, context);
  const entry = { ...textOf(failed, change), next, queue: context.retryQueue };
  return { set: { ...change, status: 'ERROR', ...set, errors: historyOf(record, entry, context) }, remove };
}

/** A failure after which there is no other attempt. */
export function giveUp(
  record: BacklogRecord,
  failed: Failed,
  reason: string,
  context: SettleContext,
): RecordChange {
  const change = failureOf(record, failed.error, context);
  const errors = historyOf(record, { ...textOf(failed, change), next: 'dead' }, context);
  return die({ ...change, errors }, shortReason(reason), context);
}

export function shortReason(reason: string): string {
  return truncate(reason, MAX_REASON_BYTES);
}

function textOf({ error: { stack }, ms }: Failed, { lastError }: ReturnType<typeof failureOf>) {
  return { ...lastError, ms, stack };
}

function failureOf(record: BacklogRecord, error: ErrorText, context: SettleContext) {
  const at = toIso(context.now);
  const attempt = attemptOf(record, context);
  return {
    ...attempt,
    failures: record.failures + 1,
    firstFailureAt: record.firstFailureAt ?? at,
    lastFailureAt: at,
    lastError: errorEntry(error, at, attempt.attempts),
  };
}

function retryOf(record: BacklogRecord, change: ReturnType<typeof failureOf>, context: SettleContext) {
  const policy = policyOf(record, context.policy);
  const decision = decideRetry(
    policy,
    {
      id: record.id,
      queue: record.queue,
      failures: change.failures,
      firstFailureAt: Date.parse(change.firstFailureAt),
      failedAt: context.now,
      bornAt: bornAt(record),
    },
    context.tickSeconds,
    context.random,
  );
  // On a progressive queue the last rule gives up what is too old, after its last turn.
  if (isLeftToRules(record, context) && !decision.retry && decision.reason === 'expired') {
    return { retry: true as const, dueAt: context.now };
  }
  return decision;
}

/** The rules of a progressive queue keep the schedule of whoever stays there and has no waits of its own. */
function isLeftToRules(
  { retry }: BacklogRecord,
  { way, chosen = false, retryQueue }: SettleContext,
): boolean {
  if (way !== 'progressive' || retryQueue !== undefined) return false;
  return !(retry === undefined ? chosen : hasOwnSchedule(retry));
}

/** On a progressive queue a policy that only adds limits to its schedule leaves the waits to the rules. */
export function hasOwnSchedule(policy: RetryPolicy): boolean {
  return !(policy.type === 'progressive' && policy.tiers === undefined);
}

export function policyOf(record: BacklogRecord, queuePolicy: ResolvedPolicy): ResolvedPolicy {
  return record.retry ? resolvePolicy(record.retry) : queuePolicy;
}
