import { toIso } from '../support/clock.js';
import { attemptOf, die, historyOf, type RecordChange, type SettleContext, waitUntil } from './change.js';
import { shortReason } from './history.js';
import { waitForTurn } from './last-turn.js';
import type { AttemptOutcome } from './outcome.js';
import { decideNext, isLeftToRules, triesOf } from './policy-of.js';
import { type BacklogRecord, isPending } from './record.js';

type Snoozed = Extract<AttemptOutcome, { type: 'snooze' }>;

/** Puts a record off without success or failure: what is known of its failures stays, and so does its status. */
export function snooze(record: BacklogRecord, snoozed: Snoozed, context: SettleContext): RecordChange {
  const { seconds } = snoozed;
  return seconds === undefined
    ? waitUntilReady(record, snoozed, context)
    : putOff(record, snoozed, waitUntil(record, context.now + seconds * 1000, context), context);
}

/** The policy says when to look again, as it would after a failure; and when to give up. */
function waitUntilReady(record: BacklogRecord, snoozed: Snoozed, context: SettleContext): RecordChange {
  const counted = { notReady: (record.notReady ?? 0) + 1 };
  const decision = decideNext(record, { ...record, ...counted }, context);
  if (decision.retry) {
    const { dueAt, wanted } = decision;
    const when = isLeftToRules(record, context)
      ? waitForTurn(record, context.now, context)
      : { ...waitUntil(record, dueAt, context), next: toIso(Math.ceil(wanted)) };
    return putOff(record, snoozed, when, context, counted);
  }
  const { reason, ms } = snoozed;
  const why = notReadyReason(decision.reason, { ...record, ...counted }, reason);
  const history = historyOf(record, { ms, outcome: 'snoozed', message: reason, next: 'dead' }, context);
  return die({ ...attemptOf(record, context), ...counted, history }, shortReason(why), context);
}

/** `maxAttempts: not ready after 12 attempts: the order is still open` */
export function notReadyReason(end: string, record: BacklogRecord, reason?: string): string {
  const tries = triesOf(record);
  const why = reason === undefined ? '' : `: ${reason}`;
  return `${end}: not ready after ${tries} ${tries === 1 ? 'attempt' : 'attempts'}${why}`;
}

/** The reason of a record that waits as its work was not ready, as its handler says. Undefined: it waits for something else. */
export function notReadyText(record: BacklogRecord): string | undefined {
  if (!isPending(record) || !wasNotReady(record)) return undefined;
  const { outcome, message } = record.history.at(-1) ?? {};
  return `not ready yet${outcome === 'snoozed' && message ? `: ${message}` : ''}`;
}

/** Tells whether the work was found not ready before, and the last attempt did not fail. It may be a `Snooze` with a delay. */
export function wasNotReady({ notReady = 0, lastAttemptAt, lastFailureAt }: BacklogRecord): boolean {
  return notReady > 0 && lastAttemptAt !== undefined && lastAttemptAt !== lastFailureAt;
}

function putOff(
  record: BacklogRecord,
  { reason, ms }: Snoozed,
  { set, remove, next }: Pick<RecordChange, 'set' | 'remove'> & { readonly next?: string | undefined },
  context: SettleContext,
  counted: { readonly notReady?: number } = {},
): RecordChange {
  const history = historyOf(record, { ms, outcome: 'snoozed', message: reason, next }, context);
  return {
    set: { ...attemptOf(record, context), ...counted, status: record.status, ...set, history },
    remove,
    countedAs: 'snoozed',
  };
}
