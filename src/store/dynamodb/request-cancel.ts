import { type BacklogRecord, cancelMark } from '../../record/index.js';
import { Expressions } from './expressions.js';
import { asRead, type DynamoDbRecords } from './records.js';
import type { Table } from './table.js';

/** Marks a record whose long attempt is to end, if it is still as it was read. Its `rev` stays: the attempt goes on under that. */
export async function requestCancel(
  record: BacklogRecord,
  reason: string,
  { records, table }: { readonly records: DynamoDbRecords; readonly table: Table },
): Promise<'settled' | 'changed'> {
  const isWritten = await records.whileAsRead(record, async (compare) => {
    const expressions = new Expressions();
    const set = { notBefore: cancelMark(record, reason) };
    const update = expressions.update(set, [], asRead(record, expressions, compare));
    return (await table.update(record.id, update)).written;
  });
  return isWritten ? 'settled' : 'changed';
}
