import type { BacklogRecord, HistoryEntry, RetryPolicy } from 'dynamo-backlog';
import {
  bornAt,
  decideRetry,
  firstTryAt,
  isLimitsOnly,
  isPending,
  limited,
  type ResolvedPolicy,
  resolvePolicy,
  restOf,
  triesOf,
} from 'dynamo-backlog/engine';
import { outsideWait } from '../../outside-wait.js';

/** An attempt that ended. Times are epoch milliseconds, the backlog's. */
export interface PastAttempt {
  readonly at: number;
  readonly attempt: number;
  readonly kind: 'failed' | 'timedOut' | 'lost' | 'snoozed' | 'cancelled' | 'succeeded';
}

/** A record's attempts, and those that its policy plans if each of them fails. */
export interface AttemptPlan {
  /** The attempts that the record's history has kept, the oldest first. */
  readonly past: readonly PastAttempt[];
  /** The time at which the next attempt is due; undefined: there is none. */
  readonly next: number | undefined;
  /** That attempt has begun, and waits for its end from outside: it fails at that time, if none comes before. */
  readonly endsOutside: boolean;
  /** The attempts that follow if the next one fails, and the one after it: the middle of what is left to chance. */
  readonly planned: readonly number[];
  /** The time and the reason of its end; undefined: not among the planned attempts, or not known. */
  readonly end: { readonly at: number; readonly reason: 'maxAttempts' | 'expired' } | undefined;
  /** Its policy; undefined: neither the record nor the app says which one it has. */
  readonly policy: ResolvedPolicy | undefined;
}

/** Seconds between two firings of the rule of a queue that retries per record. */
const TICK_SECONDS = 60;
const MAX_PLANNED = 24;

/** @param queuePolicy that of the record's queue, where it is known */
export function planOf(
  record: BacklogRecord,
  queuePolicy: RetryPolicy | undefined,
  now: number,
): AttemptPlan {
  const past = record.history.flatMap(asAttempt).sort((one, other) => one.at - other.at);
  const policy = policyOf(record, queuePolicy);
  const next = isPending(record) ? nextOf(record, now) : undefined;
  const endsOutside = next !== undefined && next > now && outsideWait(record)?.until === record.dueAt;
  if (next === undefined || policy === undefined) {
    return { past, next, endsOutside, planned: [], end: undefined, policy };
  }
  return { past, next, endsOutside, policy, ...ifAllFail(record, policy, next) };
}

/** The time at which its next attempt is due: never before now. */
function nextOf(record: BacklogRecord, now: number): number {
  const due = Date.parse(restOf(record) ?? record.dueAt ?? record.insertedAt);
  return Number.isFinite(due) ? Math.max(due, now) : now;
}

/** Its own policy, or that of its queue; undefined: not known. One that is invalid counts as none, as in a run. */
export function policyOf(
  { retry, limits }: Pick<BacklogRecord, 'retry' | 'limits'>,
  queuePolicy: RetryPolicy | undefined,
): ResolvedPolicy | undefined {
  const given = retry ?? queuePolicy;
  if (given === undefined || isLimitsOnly(given)) return undefined;
  try {
    const policy = resolvePolicy(given);
    return limits === undefined || retry ? policy : limited(policy, limits);
  } catch {
    return undefined;
  }
}

function ifAllFail(record: BacklogRecord, policy: ResolvedPolicy, next: number) {
  const planned: number[] = [];
  let failedAt = next;
  const tries = triesOf(record);
  const firstFailureAt = tries === 0 ? next : firstTryAt(record);
  for (let failures = tries + 1; planned.length < MAX_PLANNED; failures++) {
    const attempt = {
      id: record.id,
      queue: record.queue,
      failures,
      firstFailureAt,
      failedAt,
      bornAt: bornAt(record),
    };
    const decision = decideRetry(policy, attempt, TICK_SECONDS, () => 0.5);
    if (!decision.retry) return { planned, end: { at: failedAt, reason: decision.reason } };
    // The due time that is stored is up to half a tick earlier, so that the nearest firing of the rule finds it.
    failedAt = decision.wanted;
    planned.push(failedAt);
  }
  return { planned, end: undefined };
}

/** The kind of an attempt, by its entry in the history. */
export function kindOf({ outcome, name }: HistoryEntry): PastAttempt['kind'] {
  return outcome ?? (name === 'AttemptTimeout' ? 'timedOut' : name === 'WorkerLost' ? 'lost' : 'failed');
}

function asAttempt(entry: HistoryEntry): PastAttempt[] {
  const at = Date.parse(entry.at);
  return Number.isFinite(at) ? [{ at, attempt: entry.attempt, kind: kindOf(entry) }] : [];
}
