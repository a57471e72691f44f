import type { FailingNote, FailingNotes } from './failing-note.js';
import { MAX_GROUP_LENGTH, MIN_RECORDS, WHOLE_QUEUE } from './failing-notes.js';

const NO_NOTES: FailingNotes = { notes: [], past: [] };
/** Groups that are noted beside the whole queue. */
const MAX_GROUPS = 12;
/** The notes are in the queue's item, which every page reads: it stays in one write unit. */
const MAX_BYTES = 850;
/** Numbers of a note without a success. */
const NUMBERS = 7;
/** Places of the recent counts among its numbers. */
const GOOD = 5;
const BAD = 6;
/** The end of the year 9999, in epoch seconds. */
const LAST_SECOND = Date.UTC(10_000, 0) / 1000;

type Entry = readonly [
  group: string,
  error: string,
  ...numbers: readonly [number, number, number, number, number, number, number, number?],
];
type PastEntry = [group: string, error: string, since: number, seconds: number];

/** Reads notes back. What the library cannot have written is no note. */
export function parseFailing(text: string | undefined): FailingNotes {
  const stored = text === undefined ? undefined : jsonOf(text);
  if (!Array.isArray(stored) || stored.length > 3) return NO_NOTES;
  const [endedAt, entries, ended = []] = stored as unknown[];
  if (!isAmount(endedAt) || !isListOf<Entry>(entries, NUMBERS, NUMBERS + 1)) return NO_NOTES;
  if (!isListOf<PastEntry>(ended, 2, 2)) return NO_NOTES;
  const past = ended.map(([group, error, since, seconds]) => ({
    ...{ group, error, since, endedAt: since + seconds },
  }));
  const notes = entries.map(
    ([group, error, since, lastAfter, countedAfter, records, evidence, good, bad, successAfter]) => ({
      ...{
        group,
        error,
        since,
        lastAt: since + lastAfter,
        countedAt: since + countedAfter,
        records,
        evidence,
      },
      ...{ recentSuccesses: good, recentFailures: bad },
      lastSuccessAt: successAfter === undefined ? undefined : since + successAfter,
    }),
  );
  return endedAt === 0 ? { notes, past } : { notes, past, endedAt };
}

function isListOf<T>(list: unknown, min: number, max: number): list is T[] {
  return Array.isArray(list) && list.every((entry) => isEntry(entry, min, max));
}

/**
 * Checks an entry by hand: a schema would be a fourth of what the notes add to a handler's bundle.
 *
 * @param min the least number of its numbers; `max`: the most
 */
function isEntry(entry: unknown, min: number, max: number): boolean {
  if (!Array.isArray(entry)) return false;
  const [group, error, ...numbers] = entry as unknown[];
  const { length } = numbers;
  const isWhole = (one: unknown, i: number) => i === GOOD || i === BAD || Number.isInteger(one);
  const areKnown = numbers.every(isAmount) && numbers.every(isWhole);
  return length >= min && length <= max && isText(group) && isText(error) && areKnown;
}

function isText(text: unknown): boolean {
  return typeof text === 'string' && text.length <= MAX_GROUP_LENGTH;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LAST_SECOND;
}

/**
 * The text in which notes are stored, at most 850 bytes. The whole queue comes first, then the groups with most evidence, then
 * the past, and then the errors of the past, as much as there is room for.
 */
export function failingText({ notes, past, endedAt = 0 }: FailingNotes): string {
  const kept: unknown[] = [];
  const ended: PastEntry[] = [];
  let bytes = `[${endedAt},[],[]]`.length;
  const hasRoom = (entry: unknown) => {
    bytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
    return bytes <= MAX_BYTES;
  };
  for (const note of notes.toSorted(byEvidence).slice(0, MAX_GROUPS + 1)) {
    const { group, error, since, lastAt, countedAt, records, evidence } = note;
    const { recentSuccesses, recentFailures, lastSuccessAt } = note;
    const entry = [
      ...[group, error, since, Math.max(0, lastAt - since), Math.max(0, countedAt - since)],
      ...[records, evidence, recentSuccesses, recentFailures],
      ...(lastSuccessAt === undefined ? [] : [Math.max(0, lastSuccessAt - since)]),
    ];
    if (hasRoom(entry)) kept.push(entry);
  }
  for (const { group, since, endedAt } of past.slice(0, MAX_GROUPS + 1)) {
    const entry: PastEntry = [group, '', since, Math.max(0, endedAt - since)];
    if (!hasRoom(entry)) break;
    ended.push(entry);
  }
  for (const [i, entry] of ended.entries()) {
    const error = past[i]?.error;
    if (error && hasRoom(error)) entry[1] = error;
  }
  return JSON.stringify(ended.length === 0 ? [endedAt, kept] : [endedAt, kept, ended]);
}

function byEvidence(a: FailingNote, b: FailingNote): number {
  if (a.group === WHOLE_QUEUE || b.group === WHOLE_QUEUE) return a.group === WHOLE_QUEUE ? -1 : 1;
  const [one, other] = [a, b].map(({ records }) => Math.min(records, MIN_RECORDS));
  return (other ?? 0) - (one ?? 0) || a.since - b.since;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
