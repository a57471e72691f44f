import { withoutTrailing } from '../support/trailing.js';
import { withoutUrlSecrets } from '../support/url-text.js';
import type { ErrorEntry, HistoryEntry } from './record.js';

/** Every byte of a record is billed at every write: texts are kept short. */
const MAX_NAME_BYTES = 64;
const MAX_MESSAGE_BYTES = 400;
const MAX_STACK_BYTES = 1_000;
const MAX_REASON_BYTES = 200;

/**
 * Limits of the history that a record keeps of its attempts.
 *
 * @inline
 */
export interface HistoryLimits {
  /** The size of all entries together, as JSON: a little more than DynamoDB bills. */
  readonly bytes: number;
  /** The greatest number of entries. */
  readonly entries: number;
}
export const DEFAULT_HISTORY: HistoryLimits = { bytes: 512, entries: 20 };

/**
 * The error of an attempt, as text.
 *
 * @inline
 */
export interface ErrorText {
  /** The error's class. */
  readonly name: string;
  /** Its message, uncut. */
  readonly message: string;
  /** The place at which it was thrown. */
  readonly stack?: string | undefined;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function errorEntry({ name, message }: ErrorText, at: string, attempt: number): ErrorEntry {
  return {
    name: storedText(name, MAX_NAME_BYTES),
    message: storedText(message, MAX_MESSAGE_BYTES),
    at,
    attempt,
  };
}

/**
 * Adds the newest entry within the limits. To make room, it removes first the stacks of older entries, then the oldest
 * entries, and then parts of the newest. Of several snoozes in a row for the same reason, and of probes, only the newest is kept.
 */
export function appendEntry(
  history: readonly HistoryEntry[],
  added: HistoryEntry,
  { bytes, entries }: HistoryLimits = DEFAULT_HISTORY,
): HistoryEntry[] {
  const entry = compact(added);
  const before = isRepeated(history.at(-1), entry) ? history.slice(0, -1) : history;
  const kept = before.slice(Math.max(0, before.length + 1 - entries));
  const sizes = kept.map(jsonBytes);
  // Brackets, and a comma behind each but the last.
  let total = sizes.reduce((sum, size) => sum + size + 1, jsonBytes(entry) + '[]'.length);
  for (const [i, older] of kept.entries()) {
    if (total <= bytes) break;
    if (older.stack === undefined) continue;
    const bare = { ...older };
    delete bare.stack;
    const size = jsonBytes(bare);
    total -= (sizes[i] ?? 0) - size;
    kept[i] = bare;
    sizes[i] = size;
  }
  let dropped = 0;
  for (; dropped < kept.length && total > bytes; dropped++) total -= (sizes[dropped] ?? 0) + 1;
  return [...kept.slice(dropped), shortened(entry, bytes - '[]'.length)];
}

function isRepeated(last: HistoryEntry | undefined, { outcome, message, probe }: HistoryEntry): boolean {
  if (probe && last?.probe) return true;
  return outcome === 'snoozed' && last?.outcome === 'snoozed' && last.message === message;
}

/** The parts of an entry that are cut to make room, in this order. */
const PARTS = ['stack', 'message', 'queue', 'name'] as const;

function shortened(entry: HistoryEntry, bytes: number): HistoryEntry {
  let rest = entry;
  for (const part of PARTS) {
    const over = jsonBytes(rest) - bytes;
    if (over <= 0) return rest;
    const text = rest[part] ?? '';
    const room = Buffer.byteLength(text) - over;
    // Half a queue's name is another's.
    const left = part === 'queue' || room <= 0 ? undefined : truncate(text, room);
    rest = compact({ ...rest, [part]: left });
  }
  return rest;
}

/** Cuts the texts of an entry to their limits, and drops the keys without a value. */
function compact(entry: HistoryEntry): HistoryEntry {
  const texts: HistoryEntry = { ...entry, ...limitTexts(entry) };
  for (const key of Object.keys(texts) as (keyof HistoryEntry)[]) {
    if (texts[key] === undefined) delete (texts as unknown as Record<string, unknown>)[key];
  }
  return texts;
}

type Texts = Pick<HistoryEntry, 'name' | 'message' | 'stack'>;

/** Cuts texts to the length that a record keeps. */
export function limitTexts({ name, message, stack }: Texts): Texts {
  return {
    ...(name ? { name: storedText(name, MAX_NAME_BYTES) } : {}),
    ...(message ? { message: storedText(message, MAX_MESSAGE_BYTES) } : {}),
    ...(stack ? { stack: storedText(stack, MAX_STACK_BYTES) } : {}),
  };
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Cuts a text, and removes the secrets of its URLs: errors of HTTP clients quote the URLs that they asked. */
function storedText(text: string, maxBytes: number): string {
  return truncate(withoutUrlSecrets(text, LOOKED_AT * maxBytes), maxBytes);
}
/** The reason of a death, or of a wait, within its room. */
export function shortReason(reason: string): string {
  return storedText(reason, MAX_REASON_BYTES);
}

/** Bytes that are looked at, per byte that is kept: a secret that is removed makes room for the text behind it. */
const LOOKED_AT = 8;

/** Cuts at a whole character. Half a character (a lone surrogate) becomes U+FFFD: DynamoDB takes UTF-8 only. */
export function truncate(text: string, maxBytes: number): string {
  // A character has at least one byte: what is behind these never counts, however much it is.
  const encoded = encoder.encode(text.slice(0, maxBytes + 2));
  if (encoded.length <= maxBytes) return decoder.decode(encoded);
  if (maxBytes < ELLIPSIS_BYTES) return '';
  return `${withoutTrailing(decoder.decode(encoded.subarray(0, maxBytes - ELLIPSIS_BYTES)), '\uFFFD')}…`;
}
const ELLIPSIS_BYTES = 3;
