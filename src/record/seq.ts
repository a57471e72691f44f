import type { BacklogRecord } from './record.js';

/**
 * The number of a record among those of its key, in a queue with order: the attribute `seq`. `parse.ts` reads it by itself, as each run
 * loads that.
 */

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
