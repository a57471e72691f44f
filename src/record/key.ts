import type { BacklogRecord } from './record.js';

/** The longest key. */
const MAX_KEY_BYTES = 256;
/** The form of a key, in the words of an error. */
export const KEY_FORM = `text of 1 to ${MAX_KEY_BYTES} bytes`;

/** Tells whether it is a customer or tenant that a record may name. */
export function isKey(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= MAX_KEY_BYTES;
}

/** The form of a record's number, in the words of an error. */
export const SEQ_FORM = 'a whole number from 1 to 2^53 - 1';

/** Tells whether it is a number that a record may have among those of its key. */
export function isSeq(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}

/** Tells whether it has a number among the records of its key: where its queue has order, it stands in a line. */
export function isNumbered({ key, seq }: Pick<BacklogRecord, 'key' | 'seq'>): boolean {
  return key !== undefined && seq !== undefined;
}

/** Reads the attribute `key`. Any other text is the producer's own, and no trouble: the record names no key. */
export function keyOf(text: string): Pick<BacklogRecord, 'key'> {
  return isKey(text) ? { key: text } : {};
}
