import { isExact, nearestTick, noEarlierThan, type RetryDecision } from '../policies/index.js';
import { toIso } from '../support/clock.js';
import {
  arrivalOf,
  attemptOf,
  die,
  historyOf,
  type RecordChange,
  type SettleContext,
  waitUntil,
} from './change.js';
import { type ErrorText, errorEntry, shortReason } from './history.js';
import { waitForTurn } from './last-turn.js';
import { decideNext, isLeftToRules, keptRetryAfter } from './policy-of.js';
import { type BacklogRecord, WORKER_LOST } from './record.js';

/** A lost worker does not prove that the record caused it: the record is not dead of that before its second attempt. */
const MIN_ATTEMPTS_LOST = 2;

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
  const retryAfter = keptRetryAfter(retryAfterSeconds, record, context);
  const earliest = context.now + retryAfter * 1000;
  const { notReady } = record;
  const decision = decideNext(record, { ...change, notReady }, context);
  if (!decision.retry && (error.name !== WORKER_LOST || change.attempts >= MIN_ATTEMPTS_LOST)) {
    return giveUp(record, failed, decision.reason, context);
  }
  const isByRules = isLeftToRules(record, context);
  const dueAt = isByRules ? earliest : dueAfter(decision, earliest, context);
  const { set, remove, next } = isByRules
    ? waitForTurn(record, dueAt, context)
    : waitUntil(record, dueAt, context);
  const wanted = !isByRules && decision.retry ? Math.max(earliest, Math.ceil(decision.wanted)) : undefined;
  const entry = {
    ...textOf(failed, change),
    next: wanted === undefined ? next : toIso(wanted),
    queue: context.retryQueue,
    // Rules make no probes.
    ...(retryAfter > 0 && !isByRules ? { retryAfter } : {}),
  };
  return { set: { ...change, status: 'ERROR', ...set, history: historyOf(record, entry, context) }, remove };
}

/** The policy's own wait is kept by the ticks; what was asked for is never kept early. */
function dueAfter(decision: RetryDecision, earliest: number, { now, tickSeconds }: SettleContext): number {
  const tickMs = tickSeconds * 1000;
  // A record that is not dead after its first loss of a worker is due at the next tick.
  const decided = decision.retry ? decision.dueAt : nearestTick(now + tickMs, now, tickSeconds);
  if (earliest <= decided) return decided;
  // What would be kept to the second without it is so with it.
  return isExact(toIso(decided)) && earliest - now < tickMs ? noEarlierThan(earliest) : earliest;
}

/** A failure after which there is no other attempt. */
export function giveUp(
  record: BacklogRecord,
  failed: Failed,
  reason: string,
  context: SettleContext,
): RecordChange {
  const change = failureOf(record, failed.error, context);
  const history = historyOf(record, { ...textOf(failed, change), next: 'dead' }, context);
  return die({ ...change, history }, shortReason(reason), context);
}

/** Gives up a record that was refused before its attempt began. No attempt is counted. */
export function refuse(
  record: BacklogRecord,
  failed: Failed,
  reason: string,
  context: SettleContext,
): RecordChange {
  const lastError = errorEntry(failed.error, toIso(context.now), record.attempts + 1);
  const history = historyOf(record, { ...textOf(failed, { lastError }), next: 'dead' }, context);
  return die({ ...arrivalOf(record), lastError, history }, shortReason(reason), context);
}

function textOf(
  { error: { stack }, ms }: Failed,
  { lastError }: Pick<ReturnType<typeof failureOf>, 'lastError'>,
) {
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
