import type { Item } from '../../record/index.js';
import { InvalidRecordError } from '../../support/errors.js';
import { checkItem } from '../item-limits.js';
import { isValidationError } from './errors.js';
import type { Table } from './table.js';

/**
 * Puts a new item; one that is there already is left as it is.
 *
 * @throws InvalidRecordError for what DynamoDB would refuse, or refuses
 */
export async function insert(item: Item, table: Table): Promise<'inserted' | 'duplicate'> {
  checkItem(item);
  try {
    if (await table.putNew(item)) return 'inserted';
  } catch (error) {
    const { cause } = error as Error;
    if (!isValidationError(cause)) throw error;
    const reason = `record ${item.id}: DynamoDB refuses it: ${(cause as Error).message}`;
    throw new InvalidRecordError(reason, { cause });
  }
  // Ours, if the answer to a first try was lost and the client has repeated it.
  const { rev } = item;
  if (rev === undefined) return 'duplicate';
  const stored = await table.get(String(item.id), 'rev');
  return stored?.rev === rev ? 'inserted' : 'duplicate';
}
