import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../support/clock.js';
import type { Random } from '../../support/random.js';
import type { OperatorRecordStore } from '../operator-store.js';
import { listRecords } from './list.js';
import { note } from './note.js';
import { DynamoDbRecords } from './records.js';
import { Table } from './table.js';

interface ProducerRecordsDeps {
  readonly client: DynamoDBClient;
  /** The name of the table of records. */
  readonly table: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** The records, as a producer asks for them or takes them back. It touches no other table. */
export function producerRecords({
  client,
  table,
  clock,
  random,
}: ProducerRecordsDeps): Pick<OperatorRecordStore, 'get' | 'list' | 'change' | 'note'> {
  const recordsTable = new Table({ client, name: table, keyName: 'id', clock, random });
  const records = new DynamoDbRecords(recordsTable, clock);
  return {
    get: (id) => records.get(id),
    list: (filter) => listRecords(filter, recordsTable, records),
    change: (record, change, rev) => records.change(record, change, rev),
    note: (record, set) => note(record, set, { records, table: recordsTable }),
  };
}
