import { toIso } from '../support/clock.js';
import { historyOf, type RecordChange, type SettleContext } from './change.js';
import type { FailingNote, FailingNotes } from './failing-note.js';
import { isFailing, isSuspect } from './failing-notes.js';
import { type ErrorText, errorEntry } from './history.js';
import type { AttemptOutcome } from './outcome.js';
import { keptRetryAfter } from './policy-of.js';
import { type BacklogRecord, WORKER_LOST } from './record.js';
import { settle } from './settle.js';

/** Time without an outcome after which a record of a group that fails is probed: 5 minutes, to the nearest tick of a minute. */
export const PROBE_SECONDS = 270;

/** Due times are rounded up, and one more millisecond keeps them from being taken for exact ones. */
const ROUNDING_MS = 3;

/** The groups that fail, or seem to, and of which no record was attempted for 5 minutes. */
export function groupsToProbe({ notes }: FailingNotes, now: number): string[] {
  const isSilent = ({ countedAt }: { readonly countedAt: number }) => now - countedAt >= PROBE_SECONDS;
  const isDoubted = (note: FailingNote) => isSuspect(note) || isFailing(note, now);
  return notes.filter((note) => isSilent(note) && isDoubted(note)).map(({ group }) => group);
}

/**
 * Tells whether a record may be attempted ahead of its time: it waits as its policy says, after a failure. A wait that was asked
 * for, by its destination, its handler, its producer or an operator, is kept. So is one that the policy never keeps early.
 *
 * Only a wait of the policy is stored half a tick before its end (see policies/tick.ts), which the history has.
 */
export function mayProbe(record: BacklogRecord, now: number, tickSeconds: number): boolean {
  const { status, dueAt = '', notBefore, unknownTaskSince, lastError, history } = record;
  const { at = '', next = '', outcome, retryAfter = 0, probe } = history.at(-1) ?? {};
  const failed = status === 'ERROR' && (outcome === undefined || probe === true);
  // A record that ended its process is attempted in its turn, alone.
  if (!failed || lastError === undefined || lastError.name === WORKER_LOST) return false;
  if (notBefore !== undefined || unknownTaskSince !== undefined) return false;
  const due = Date.parse(dueAt);
  const earlyMs = Date.parse(next) - due;
  const hasKeptRetryAfter = Date.parse(at) + retryAfter * 1000 <= now;
  const halfTickMs = (tickSeconds * 1000) / 2;
  const isOfPolicy = earlyMs <= halfTickMs && earlyMs > halfTickMs - ROUNDING_MS;
  return due > now && hasKeptRetryAfter && isOfPolicy;
}

/** The change that a probe makes. Only an end, or a longer wait that it asks for, changes when and how often it is attempted. */
export function settleProbe(
  record: BacklogRecord,
  outcome: AttemptOutcome,
  context: SettleContext,
): RecordChange {
  if (outcome.type === 'failure') return failedProbe(record, outcome, context);
  if (outcome.type !== 'snooze') return settle(record, outcome, context);
  const { seconds = 0, reason, ms } = outcome;
  if (context.now + seconds * 1000 > dueMs(record)) return settle(record, outcome, context);
  const entry = { ms, outcome: 'snoozed', message: reason, next: nextOf(record), probe: true } as const;
  const history = historyOf(record, entry, context);
  return { set: { history }, remove: ['completion'], countedAs: 'snoozed' };
}

/** The change of a probe whose process was lost. */
export function lostProbe(record: BacklogRecord, context: SettleContext): RecordChange {
  const message = 'the process ended during the attempt';
  return failedProbe(record, { error: { name: WORKER_LOST, message } }, context);
}

function failedProbe(
  record: BacklogRecord,
  failed: {
    readonly error: ErrorText;
    readonly ms?: number | undefined;
    readonly retryAfterSeconds?: number | undefined;
  },
  context: SettleContext,
): RecordChange {
  const { error, ms, retryAfterSeconds = 0 } = failed;
  const at = toIso(context.now);
  const lastError = errorEntry(error, at, record.attempts + 1);
  const retryAfter = keptRetryAfter(retryAfterSeconds, record, context);
  const asked = context.now + retryAfter * 1000;
  const later = asked > dueMs(record) ? { dueAt: toIso(asked) } : {};
  const next = later.dueAt ?? nextOf(record);
  const entry = {
    ...lastError,
    ms,
    stack: error.stack,
    next,
    retryAfter: retryAfter || undefined,
    probe: true,
  } as const;
  const history = historyOf(record, entry, context);
  return {
    set: { status: 'ERROR', lastAttemptAt: at, lastFailureAt: at, lastError, ...later, history },
    remove: ['completion'],
    countedAs: 'probe',
  };
}

function dueMs({ dueAt = '' }: BacklogRecord): number {
  return Date.parse(dueAt);
}

function nextOf({ history }: BacklogRecord): string | undefined {
  return history.at(-1)?.next;
}
