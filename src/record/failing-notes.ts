import type {
  FailingNote,
  FailingNotes,
  Failure,
  GroupOutcomes,
  PastOutage,
  RecordsLeft,
} from './failing-note.js';
import { httpStatusOf } from './http-status.js';
import type { BacklogRecord } from './record.js';

/** The group of all records of the queue. */
export const WHOLE_QUEUE = '';
/** Age of a record's first failure beyond which the record, rather than its destination, may be at fault. */
export const YOUNG_SECONDS = 3_600;
/** Failures of one record that count as evidence. */
const MAX_FAILURES_OF_ONE = 3;

export const MIN_RECORDS = 3;
/** Three in ten attempts that fail at random come to less in days. */
const MIN_EVIDENCE = 8;
/** Parts of a group's note after the recovery of its queue: any success ends it, and three failures or a death renew it. */
const DOUBTED = { evidence: MIN_EVIDENCE - MAX_FAILURES_OF_ONE, recentSuccesses: 0, recentFailures: 0 };
const SUCCESS_WEIGHT = 2;
/** Successes of one run without a failure that prove a recovery, whatever was before; fewer if fewer records had failed. */
export const CLEAN_SUCCESSES = 5;
/** A blink of three minutes is what retries are for. */
const MIN_SECONDS = 240;
/** Silence after the last failure that counts like further ones: records may be dead, or wait long for their next attempt. */
const SILENT_SECONDS = 600;
const HALF_LIFE_SECONDS = 120;
/** Time for which an explicit 0 follows, so that the alarm learns of the end. */
const ENDED_SECONDS = 3_600;
/** The first failures of an outage may come before its note, which begins when most attempts of a run fail. */
const BEFORE_SECONDS = 600;
const DAY_SECONDS = 86_400;
/** Characters of an error's class. */
const MAX_NAME = 30;
/** Characters of a group's name. */
export const MAX_GROUP_LENGTH = 100;

/** Tells whether the evidence suffices to call a person. */
export function isFailing(note: FailingNote, now: number): boolean {
  const { since, lastAt } = note;
  if (!isOutage(note) || now - since < MIN_SECONDS) return false;
  return lastAt - since >= MIN_SECONDS || now - lastAt >= SILENT_SECONDS;
}

/** Tells whether the evidence is that of an outage, which may be too young to call a person. */
export function isOutage({ records, evidence }: FailingNote): boolean {
  return records >= MIN_RECORDS && evidence >= MIN_EVIDENCE;
}

/** Tells whether so many records failed that one of them is worth a look, though they are no evidence yet: all may wait for long. */
export function isSuspect({ records, evidence }: FailingNote): boolean {
  return records >= MIN_RECORDS && evidence >= MIN_RECORDS;
}

/**
 * Seconds for which a group has failed without recovery: the longest. 0: it has recovered lately, or nothing is left that could
 * fail. Undefined: nothing to say.
 *
 * @param left the records of the queue, where they are counted
 */
export function failingSeconds(
  { notes, endedAt }: FailingNotes,
  now: number,
  left?: RecordsLeft,
): number | undefined {
  const open = openNotes(notes, now, left);
  if (open.length > 0) return Math.max(...open.map(({ since }) => now - since));
  const hasEnded =
    notes.some((note) => isFailing(note, now)) || (endedAt !== undefined && now - endedAt < ENDED_SECONDS);
  return hasEnded ? 0 : undefined;
}

/** The notes of the groups that fail now, with as much as is known of the records that are left. */
export function openNotes(notes: readonly FailingNote[], now: number, left?: RecordsLeft): FailingNote[] {
  const until = left ? endsAfter(left) : Number.POSITIVE_INFINITY;
  return notes.filter((note) => isFailing(note, now) && now - note.lastAt < until);
}

/** Seconds after the last failure in which nothing fails any more. Where a record waits for a retry, only that can tell. */
function endsAfter({ waiting, inRetry, dead }: RecordsLeft): number {
  if (waiting === 0 && dead === 0) return SILENT_SECONDS;
  return inRetry === 0 ? DAY_SECONDS : Number.POSITIVE_INFINITY;
}

/**
 * The evidence of one more failure of a record, as it was before. Undefined: it proves nothing new, as it may be the record's
 * own fault.
 */
export function evidenceOf(
  record: BacklogRecord,
  { group, now, isDead }: Failure,
  { notes, past }: FailingNotes,
): number | undefined {
  const firstAt = secondsOf(record.firstFailureAt) ?? now;
  const over = past.find((one) => one.group === group);
  const isYoung = now - firstAt <= YOUNG_SECONDS;
  const isOfRelapse = over && countsAgain(record, over, notes, now);
  const left = isOfRelapse ? MAX_FAILURES_OF_ONE : Math.max(0, MAX_FAILURES_OF_ONE - record.failures);
  if (left === 0 && !isYoung) return undefined;
  return isDead ? left : Math.min(1, left);
}

/**
 * Tells whether a record that first failed in an outage is evidence of a relapse: until it has failed three times since, and in
 * the first hour of a new note. So a record that always fails is evidence once more, for the outage in which it began to.
 */
function countsAgain(
  { firstFailureAt, lastFailureAt, history }: BacklogRecord,
  { group, since, endedAt }: PastOutage,
  notes: readonly FailingNote[],
  now: number,
): boolean {
  const [firstAt, lastAt] = [secondsOf(firstFailureAt), secondsOf(lastFailureAt)];
  if (firstAt === undefined || lastAt === undefined) return false;
  if (firstAt < since - BEFORE_SECONDS || firstAt > endedAt) return false;
  const note = notes.find((one) => one.group === group);
  if (note && lastAt >= note.since) return now - Math.max(note.since, endedAt) <= YOUNG_SECONDS;
  // The history may be too short for three.
  const third = history.at(-MAX_FAILURES_OF_ONE) ?? history[0];
  return (secondsOf(third?.at) ?? lastAt) <= endedAt;
}

export function secondsOf(time: string | undefined): number | undefined {
  const at = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(at) ? undefined : Math.floor(at / 1000);
}

/** The notes after a run, given its outcomes by group. */
export function afterRun(
  before: FailingNotes,
  outcomes: ReadonlyMap<string, GroupOutcomes>,
  now: number,
): FailingNotes {
  const known = new Map(before.notes.map((note) => [note.group, note]));
  const queue = known.get(WHOLE_QUEUE);
  for (const [group, its] of outcomes) {
    const next = noteAfter(known.get(group), group, its, now);
    if (next) known.set(group, next);
    else known.delete(group);
  }
  const isOver = ({ group }: FailingNote) => !known.has(group);
  const hasRecovered = queue && isFailing(queue, now) && isOver(queue);
  const isDoubted = ({ group }: FailingNote) =>
    hasRecovered && known.has(group) && !outcomes.get(group)?.lastFailureAt;
  const over = before.notes.filter((note) => isOutage(note) && (isOver(note) || isDoubted(note)));
  for (const note of over)
    if (isDoubted(note)) known.set(note.group, { ...note, ...DOUBTED, countedAt: now });
  const past = over.map(({ group, since, error }): PastOutage => ({ group, since, endedAt: now, error }));
  const isKept = ({ group, endedAt }: PastOutage) =>
    now - endedAt < DAY_SECONDS && !past.some((one) => one.group === group);
  return ended(before, { notes: [...known.values()], past: [...past, ...before.past.filter(isKept)] }, now);
}

function noteAfter(
  note: FailingNote | undefined,
  group: string,
  outcomes: GroupOutcomes,
  now: number,
): FailingNote | undefined {
  const { successes, failures, records, firstFailureAt, lastFailureAt, error } = outcomes;
  // A note from far ahead is of another clock, or damaged: it would hide an outage until its time comes.
  if (!note || note.since - now > MIN_SECONDS) {
    if (failures <= successes || !(outcomes.isTelling || records >= MIN_RECORDS)) return undefined;
    return {
      ...{ group, since: firstFailureAt, lastAt: lastFailureAt, records, error },
      evidence: Math.max(0, outcomes.evidence - SUCCESS_WEIGHT * successes),
      ...{ recentSuccesses: successes, recentFailures: failures, countedAt: now },
      lastSuccessAt: successes > 0 ? now : undefined,
    };
  }
  const left = 0.5 ** (Math.max(0, now - note.countedAt) / HALF_LIFE_SECONDS);
  const recentSuccesses = rounded(note.recentSuccesses * left) + successes;
  const recentFailures = rounded(note.recentFailures * left) + failures;
  const isClean = lastFailureAt === 0 && successes >= Math.min(CLEAN_SUCCESSES, note.records);
  if (successes > 0 && (isClean || recentSuccesses >= recentFailures)) return undefined;
  return {
    ...note,
    lastAt: Math.max(note.lastAt, lastFailureAt),
    records: note.records + records,
    evidence: Math.max(
      0,
      Math.min(MAX_FAILURES_OF_ONE * (note.records + records), note.evidence + outcomes.evidence) -
        SUCCESS_WEIGHT * successes,
    ),
    ...{ recentSuccesses, recentFailures, countedAt: now },
    lastSuccessAt: successes > 0 ? now : note.lastSuccessAt,
    error: error || note.error,
  };
}

function ended(before: FailingNotes, after: FailingNotes, now: number): FailingNotes {
  const was = failingSeconds(before, now);
  const is = after.notes.some((note) => isFailing(note, now));
  const endedAt = is || was === undefined ? undefined : was > 0 ? now : before.endedAt;
  return endedAt === undefined ? after : { ...after, endedAt };
}

/** Class and HTTP status of an error, as a note has them. The rest of its message may be data of the record. */
export function errorInNote({ name, message }: { readonly name: string; readonly message: string }): string {
  return [name.slice(0, MAX_NAME), httpStatusOf(message) ?? []].flat().join(' ');
}

function rounded(recentCount: number): number {
  return Math.round(recentCount * 100) / 100;
}
