import type { BacklogRecord } from '../../record/index.js';
import type { RecordNote } from '../operator-store.js';
import { Expressions } from './expressions.js';
import { asRead, type DynamoDbRecords } from './records.js';
import type { Table } from './table.js';

/** Notes something on a record that is still as it was read. Its `rev` stays: an attempt goes on under that. */
export async function note(
  record: BacklogRecord,
  set: RecordNote,
  { records, table }: { readonly records: DynamoDbRecords; readonly table: Table },
): Promise<'settled' | 'changed'> {
  const isWritten = await records.whileAsRead(record, async (compare) => {
    const expressions = new Expressions();
    const update = expressions.update({ ...set }, [], asRead(record, expressions, compare));
    return (await table.update(record.id, update)).written;
  });
  return isWritten ? 'settled' : 'changed';
}
