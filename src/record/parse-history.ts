import { errorEntry, limitTexts, truncate } from './history.js';
import type { ErrorEntry, HistoryEntry } from './record.js';

/** More than any queue keeps. */
const MAX_ENTRIES = 100;
/** The longest time, or name of a queue, that is kept. */
const MAX_SHORT_BYTES = 128;
const OUTCOMES = ['succeeded', 'snoozed', 'cancelled'] as const;

type Problem = (attribute: string, expected: string) => void;
type Deps = Readonly<Record<string, unknown>>;

/** The newest error, within its bounds; undefined: it is no map. What of it is not as the library writes it is left out and named. */
export function parseError(value: unknown, problem: Problem): ErrorEntry | undefined {
  if (!isMap(value)) return undefined;
  const { name, message, at, attempt } = value;
  if ([name, message, at].some((part) => typeof part !== 'string')) {
    problem('lastError', 'a map of the texts name, message and at');
  }
  return errorEntry(
    { name: text(name) ?? 'Error', message: text(message) ?? '' },
    short(at) ?? '',
    count(attempt),
  );
}

/** The history, its newest entries within their bounds; undefined: it is no list. What is no entry is left out and named. */
export function parseHistory(value: unknown, problem: Problem): HistoryEntry[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const entries = value.slice(-MAX_ENTRIES).filter(isMap);
  if (entries.length < Math.min(value.length, MAX_ENTRIES)) problem('history', 'a list of maps');
  return entries.map(parseEntry);
}

/** Reads an entry. Entries of failures once had a name, a message, a time and the attempt, and nothing else. */
function parseEntry(entry: Deps): HistoryEntry {
  const { at, attempt, ms, outcome, next, queue, name, message, stack, retryAfter, probe } = entry;
  const known = {
    ms: typeof ms === 'number' && Number.isFinite(ms) ? ms : undefined,
    outcome: OUTCOMES.find((one) => one === outcome),
    ...limitTexts({ name: text(name), message: text(message), stack: text(stack) }),
    next: short(next),
    queue: short(queue),
    retryAfter: typeof retryAfter === 'number' && retryAfter > 0 ? retryAfter : undefined,
    probe: probe === true ? true : undefined,
  };
  const given = Object.entries(known).filter(([, part]) => part !== undefined);
  return { at: short(at) ?? '', attempt: count(attempt), ...Object.fromEntries(given) };
}

function isMap(value: unknown): value is Deps {
  if (typeof value !== 'object' || value === null) return false;
  return Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function short(value: unknown): string | undefined {
  return typeof value === 'string' ? truncate(value, MAX_SHORT_BYTES) : undefined;
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
