import { httpStatusOf } from './http-status.js';

/**
 * The evidence that a group of records has not recovered: it fails since a time, and successes have not outweighed the failures.
 * Times are of the backlog, in epoch seconds.
 */
export interface FailingNote {
  /** The destination, or `WHOLE_QUEUE`. */
  readonly group: string;
  /** The first failure. */
  readonly since: number;
  /** The last failure, also of a record that has failed for long. */
  readonly lastAt: number;
  /** Records that have failed, of those whose first failure was less than an hour before. */
  readonly records: number;
  /** The first three failures of each of these records, less twice the successes; 0 at least. A death counts as all three. */
  readonly evidence: number;
  /** Successes of late, as they were at `countedAt`: they halve every two minutes. */
  readonly recentSuccesses: number;
  /** Failures of late of such records, in the same way. */
  readonly recentFailures: number;
  /** The time of the last run that counted. */
  readonly countedAt: number;
  /** The whole queue has recovered since the last failure: the group is not known to fail any more. */
  readonly isQuiet: boolean;
  /** Class and HTTP status of the last error that counted, such as `HttpError 503`. Empty: not known. */
  readonly error: string;
}

/** The groups of a queue that fail. */
export interface FailingNotes {
  readonly notes: readonly FailingNote[];
  /** The time at which the last group that was reported as failing has recovered. */
  readonly endedAt?: number | undefined;
}

/** Records of a queue. */
export interface RecordsLeft {
  /** Records that wait for an attempt, now or later. */
  readonly waiting: number;
  /** The number of them that have failed. */
  readonly inRetry: number;
  readonly dead: number;
}

/** The outcomes of a group in one run. Times are in epoch seconds. */
export interface GroupOutcomes {
  successes: number;
  /** Failures of records whose first failure was less than an hour before: what has failed for longer proves nothing new. */
  failures: number;
  /** The first three failures of each of these records, a death as all three: one that always fails is no evidence on and on. */
  evidence: number;
  /** Records among them that had not failed since the group's note began. */
  records: number;
  /** One of the failures was a retry or a death: many a first attempt fails that the second one mends. */
  isTelling: boolean;
  firstFailureAt: number;
  /** The last failure of any record; 0: none has failed. */
  lastFailureAt: number;
  /** The last error, as in `FailingNote`. */
  error: string;
}

/** The group of all records of the queue. */
export const WHOLE_QUEUE = '';
/** Age of a record's first failure beyond which the record, rather than its destination, may be at fault. */
export const YOUNG_SECONDS = 3_600;
/** Failures of one record that count as evidence. */
export const MAX_FAILURES_OF_ONE = 3;
const NO_NOTES: FailingNotes = { notes: [] };

const MIN_RECORDS = 3;
/** Three in ten attempts that fail at random come to less in days. */
const MIN_EVIDENCE = 8;
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
const DAY_SECONDS = 86_400;
/** Groups that are noted beside the whole queue. */
const MAX_GROUPS = 12;
/** The notes are in the queue's item, which every page reads: it stays in one write unit. */
const MAX_BYTES = 850;
const ENTRY_LENGTH = 10;
/** Characters of an error's class. */
const MAX_NAME = 30;
/** The end of the year 9999, in epoch seconds. */
const LAST_SECOND = Date.UTC(10_000, 0) / 1000;
/** Characters of a group's name. */
export const MAX_GROUP_LENGTH = 100;

/** Tells whether the evidence suffices to call a person. */
export function isFailing(note: FailingNote, now: number): boolean {
  const { since, lastAt, records, evidence, isQuiet } = note;
  if (isQuiet || records < MIN_RECORDS || evidence < MIN_EVIDENCE || now - since < MIN_SECONDS) return false;
  return lastAt - since >= MIN_SECONDS || now - lastAt >= SILENT_SECONDS;
}

/** Tells whether so many records failed that one of them is worth a look, though they are no evidence yet: all may wait for long. */
export function isSuspect({ records, evidence, isQuiet }: FailingNote): boolean {
  return !isQuiet && records >= MIN_RECORDS && evidence >= MIN_RECORDS;
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
  const hasRecovered = queue && isFailing(queue, now) && !known.has(WHOLE_QUEUE);
  const notes = [...known.values()].map((note) =>
    hasRecovered && !outcomes.get(note.group)?.lastFailureAt ? { ...note, isQuiet: true } : note,
  );
  return ended(before, notes, now);
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
      ...{ group, since: firstFailureAt, lastAt: lastFailureAt, records, isQuiet: false, error },
      evidence: Math.max(0, outcomes.evidence - SUCCESS_WEIGHT * successes),
      ...{ recentSuccesses: successes, recentFailures: failures, countedAt: now },
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
    evidence: Math.max(0, note.evidence + outcomes.evidence - SUCCESS_WEIGHT * successes),
    ...{ recentSuccesses, recentFailures, countedAt: now },
    isQuiet: note.isQuiet && lastFailureAt === 0,
    error: error || note.error,
  };
}

function ended(before: FailingNotes, notes: readonly FailingNote[], now: number): FailingNotes {
  const was = failingSeconds(before, now);
  const is = notes.some((note) => isFailing(note, now));
  const endedAt = is || was === undefined ? undefined : was > 0 ? now : before.endedAt;
  return endedAt === undefined ? { notes } : { notes, endedAt };
}

type Entry = readonly [
  group: string,
  error: string,
  ...numbers: readonly [number, number, number, number, number, number, number, number],
];

/** Class and HTTP status of an error, as a note has them. The rest of its message may be data of the record. */
export function errorInNote({ name, message }: { readonly name: string; readonly message: string }): string {
  return [name.slice(0, MAX_NAME), httpStatusOf(message) ?? []].flat().join(' ');
}

/** Reads notes back. What the library cannot have written is no note. */
export function parseFailing(text: string | undefined): FailingNotes {
  const stored = text === undefined ? undefined : jsonOf(text);
  if (!Array.isArray(stored) || stored.length !== 2) return NO_NOTES;
  const [endedAt, entries] = stored as [unknown, unknown];
  if (!isAmount(endedAt) || !Array.isArray(entries) || !entries.every(isEntry)) return NO_NOTES;
  const notes = entries.map(
    ([group, error, since, lastAfter, countedAfter, records, evidence, good, bad, quiet]) => ({
      ...{
        group,
        error,
        since,
        lastAt: since + lastAfter,
        countedAt: since + countedAfter,
        records,
        evidence,
      },
      ...{ recentSuccesses: good, recentFailures: bad, isQuiet: quiet === 1 },
    }),
  );
  return endedAt === 0 ? { notes } : { notes, endedAt };
}

/** Checks an entry by hand: a schema would be a fourth of what the notes add to a handler's bundle. */
function isEntry(entry: unknown): entry is Entry {
  if (!Array.isArray(entry) || entry.length !== ENTRY_LENGTH) return false;
  const [group, error, ...numbers] = entry as unknown[];
  const [recentSuccesses, recentFailures, quiet] = numbers.slice(-3);
  const whole = [...numbers.slice(0, -3), quiet];
  if (!isAmount(recentSuccesses) || !isAmount(recentFailures) || !whole.every(Number.isInteger)) return false;
  const isText = (text: unknown) => typeof text === 'string' && text.length <= MAX_GROUP_LENGTH;
  const isNamed = isText(group) && isText(error);
  return isNamed && whole.every(isAmount) && Number(quiet) <= 1;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LAST_SECOND;
}

/**
 * The text in which notes are stored, at most 850 bytes; undefined: there is nothing to note. The whole queue comes first, then
 * the groups with most evidence, as many as there is room for.
 */
export function failingText({ notes, endedAt = 0 }: FailingNotes): string | undefined {
  if (notes.length === 0 && endedAt === 0) return undefined;
  const kept: unknown[] = [];
  let bytes = `[${endedAt},[]]`.length;
  for (const note of notes.toSorted(byEvidence).slice(0, MAX_GROUPS + 1)) {
    const { group, error, since, lastAt, countedAt, records, evidence } = note;
    const { recentSuccesses, recentFailures, isQuiet } = note;
    const entry = [
      ...[group, error, since, Math.max(0, lastAt - since), Math.max(0, countedAt - since)],
      ...[records, evidence, recentSuccesses, recentFailures, isQuiet ? 1 : 0],
    ];
    bytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (bytes <= MAX_BYTES) kept.push(entry);
  }
  return JSON.stringify([endedAt, kept]);
}

/** The text of a queue without evidence from now on. */
export function nothingFails(nowMs: number): string {
  return JSON.stringify([Math.floor(nowMs / 1000), []]);
}

function byEvidence(a: FailingNote, b: FailingNote): number {
  if (a.group === WHOLE_QUEUE || b.group === WHOLE_QUEUE) return a.group === WHOLE_QUEUE ? -1 : 1;
  const [one, other] = [a, b].map(({ records, isQuiet }) => (isQuiet ? 0 : Math.min(records, MIN_RECORDS)));
  return (other ?? 0) - (one ?? 0) || a.since - b.since;
}

function rounded(recentCount: number): number {
  return Math.round(recentCount * 100) / 100;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
