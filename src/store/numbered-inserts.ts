import type { Item } from '../record/index.js';

/** The insertion of records that get the next numbers of their line, in the same transaction as the line's count of them. */
export interface NumberedInserts {
  /**
   * Stores new items with the attribute `seq`: the numbers behind the last one that was given. Ids that exist already are left alone,
   * and get no number. All others are stored together, or none of them.
   *
   * @param key of the item that counts the numbers of the line
   * @param items of one line, up to `MAX_NUMBERED`, no id twice
   * @returns an answer for each item, in their order
   */
  insert(key: string, items: readonly Item[]): Promise<readonly ('inserted' | 'duplicate')[]>;
}

/** Records of one transaction. DynamoDB takes 100 writes, and the count is one. */
export const MAX_NUMBERED = 99;
