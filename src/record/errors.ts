import type { ErrorEntry } from './record.js';

/** Every byte of a record is billed at every write: the texts of errors are kept short. */
const MAX_NAME_BYTES = 64;
const MAX_MESSAGE_BYTES = 400;
const MAX_ERRORS_BYTES = 512;
/** More entries never fit; a producer's own list of that name may be longer by far. */
const MAX_ENTRIES = 20;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function errorEntry(
  error: { readonly name: string; readonly message: string },
  at: string,
  attempt: number,
): ErrorEntry {
  return {
    name: truncate(error.name, MAX_NAME_BYTES),
    message: truncate(error.message, MAX_MESSAGE_BYTES),
    at,
    attempt,
  };
}

/**
 * Adds the newest entry and drops the oldest until all fit into the budget; an entry that does not fit by itself
 * keeps what fits of its message.
 */
export function appendError(
  errors: readonly ErrorEntry[],
  entry: ErrorEntry,
  maxBytes = MAX_ERRORS_BYTES,
): ErrorEntry[] {
  const kept = [...errors.slice(1 - MAX_ENTRIES), entry];
  const sizes = kept.map(entryBytes);
  // Brackets, and a comma behind each but the last.
  let total = sizes.reduce((sum, size) => sum + size + 1, 1);
  let dropped = 0;
  for (; dropped < kept.length - 1 && total > maxBytes; dropped++) total -= (sizes[dropped] ?? 0) + 1;
  if (total <= maxBytes) return kept.slice(dropped);
  const room = Math.max(0, Buffer.byteLength(entry.message) - (total - maxBytes));
  return [{ ...entry, message: truncate(entry.message, room) }];
}

function entryBytes(entry: ErrorEntry): number {
  return Buffer.byteLength(JSON.stringify(entry));
}

/** Cuts at a whole character. Half a character (a lone surrogate) becomes U+FFFD: DynamoDB takes UTF-8 only. */
export function truncate(text: string, maxBytes: number): string {
  const encoded = encoder.encode(text);
  if (encoded.length <= maxBytes) return decoder.decode(encoded);
  return `${decoder.decode(encoded.subarray(0, Math.max(0, maxBytes - 3))).replace(/\uFFFD+$/, '')}…`;
}
