import { isExact } from '../policies/index.js';
import { toIso } from '../support/clock.js';
import {
  arrivalOf,
  attemptOf,
  die,
  expiryOf,
  historyOf,
  type RecordChange,
  type SettleContext,
  waitUntil,
} from './change.js';
import { fail, giveUp, refuse } from './fail.js';
import { shortReason } from './history.js';
import { restart } from './index-change.js';
import type { AttemptOutcome } from './outcome.js';
import { type BacklogRecord, CANCELLED, WORKER_LOST } from './record.js';
import { besideResult } from './result.js';
import { notReadyReason, snooze, wasNotReady } from './snooze.js';

/** The change that the outcome of an attempt makes to its record. */
export function settle(record: BacklogRecord, outcome: AttemptOutcome, context: SettleContext): RecordChange {
  return marked(record, changeFor(record, outcome, context), context);
}

function changeFor(record: BacklogRecord, outcome: AttemptOutcome, context: SettleContext): RecordChange {
  switch (outcome.type) {
    case 'success': {
      const { result, again } = outcome;
      const end = {
        ...endOf(result === undefined ? record : besideResult(record, result), 'succeeded', outcome, context),
        ...(result === undefined ? {} : { result }),
      };
      if (again !== undefined) return comeAgain(end, again, context);
      return {
        set: { ...end, status: 'SUCCESS', ...expiryOf(context) },
        remove: ['lane', 'dueAt', 'notBefore', 'deadReason'],
      };
    }
    case 'failure':
      return fail(record, outcome, context);
    case 'dead':
      return outcome.untried
        ? refuse(record, outcome, outcome.reason, context)
        : giveUp(record, outcome, outcome.reason, context);
    case 'snooze':
      return snooze(record, outcome, context);
    case 'cancel': {
      const change = { ...endOf(record, 'cancelled', outcome, context), ...expiryOf(context) };
      const { set } = die(change, shortReason(CANCELLED + outcome.reason), context);
      const remove = change.expiresAt === undefined ? (['expiresAt'] as const) : [];
      return { set, remove: ['notBefore', ...remove], countedAs: 'cancelled' };
    }
    default:
      // An attempt has given it its change; see `pendingWith`.
      return (outcome.change as NonNullable<typeof outcome.change>)(record, outcome, context);
  }
}

/**
 * A success whose record waits as a new one. It is due at the next tick at the earliest: one that comes again at once would fill
 * its queue. Its age counts from the time that was asked for.
 */
function comeAgain(end: RecordChange['set'], at: number, context: SettleContext): RecordChange {
  const { lane, now, tickSeconds, retryMode } = context;
  const tickMs = tickSeconds * 1000;
  const dueAt = Math.max(at, (Math.floor(now / tickMs) + 1) * tickMs);
  const { set, remove } = restart(lane, dueAt);
  // The due time of a progressive queue is the age.
  const availableAt = toIso(retryMode === 'progressive' ? dueAt : at);
  return { set: { ...end, ...set, availableAt, status: 'NEW' }, remove, countedAs: 'succeeded' };
}

export function settleLostWorker(record: BacklogRecord, context: SettleContext): RecordChange {
  const message = 'the process ended during the attempt';
  return marked(record, fail(record, { error: { name: WORKER_LOST, message } }, context), context);
}

/** The change after an attempt, with the marks that it leaves on the record or takes away. */
function marked(
  { exact, unknownTaskSince, hasOldResult, completion }: BacklogRecord,
  change: RecordChange,
  { retryMode }: SettleContext,
): RecordChange {
  const { dueAt, status } = change.set;
  // Has the stream tell the intake of a record that waits for less than a tick.
  const waits = retryMode === 'perRecord' && dueAt !== undefined && status !== 'DEAD';
  const isShortWait = waits && isExact(dueAt);
  const remove = [...change.remove];
  if (exact !== undefined && !isShortWait) remove.push('exact');
  // A record that is attempted has found a handler that knows its task.
  if (unknownTaskSince !== undefined) remove.push('unknownTaskSince');
  if (completion !== undefined) remove.push('completion');
  if (hasOldResult && change.set.result === undefined) remove.push('result');
  return { ...change, set: isShortWait ? { ...change.set, exact: true } : change.set, remove };
}

/** Too old, and attempted at least once: given up without another attempt. */
export function expire(record: BacklogRecord, context: SettleContext): RecordChange {
  return die({}, wasNotReady(record) ? notReadyReason('expired', record) : 'expired', context);
}

/** A due time that belongs to the other retry mode is corrected, without an attempt. */
export function reschedule(dueAt: number): RecordChange {
  return { set: { dueAt: toIso(dueAt) }, remove: [] };
}

/** A record that was done at its first attempt needs no history. */
function endOf(
  record: BacklogRecord,
  outcome: 'succeeded' | 'cancelled',
  { ms }: AttemptOutcome,
  context: SettleContext,
): RecordChange['set'] {
  const attempt = attemptOf(record, context);
  if (record.history.length === 0) return attempt;
  return { ...attempt, history: historyOf(record, { ms, outcome }, context) };
}

/**
 * Longer and longer while no handler knows the task: a deployment takes minutes, a rollback may last for days.
 */
const UNKNOWN_TASK_WAITS = { leastMs: 60_000, mostMs: 600_000 };

/**
 * The handler does not know the record's task, as one that is about to be deployed may. It waits as long as it has
 * waited for that already, from 1 to 10 minutes; no attempt was made, and nothing is counted.
 */
export function waitForTask(record: BacklogRecord, context: SettleContext): RecordChange {
  const { now } = context;
  const { leastMs, mostMs } = UNKNOWN_TASK_WAITS;
  const since = record.unknownTaskSince ?? toIso(now);
  const waited = now - Date.parse(since);
  const { set, remove } = waitUntil(record, now + Math.min(mostMs, Math.max(leastMs, waited)), context);
  return {
    set: { ...arrivalOf(record), status: record.status, ...set, unknownTaskSince: since },
    remove,
    countedAs: 'unknownTask',
  };
}
