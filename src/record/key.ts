import type { BacklogRecord } from './record.js';

/** The longest key. */
const MAX_KEY_BYTES = 256;
/** The form of a key, in the words of an error. */
export const KEY_FORM = `text of 1 to ${MAX_KEY_BYTES} bytes`;

/** Tells whether it is a customer or tenant that a record may name. */
export function isKey(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= MAX_KEY_BYTES;
}

/** Reads the attribute `key`. Any other text is the producer's own, and no trouble: the record names no key. */
export function keyOf(text: string): Pick<BacklogRecord, 'key'> {
  return isKey(text) ? { key: text } : {};
}
