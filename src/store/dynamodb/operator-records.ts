import { asWritten, type BacklogRecord } from '../../record/index.js';
import type { Found, ItemsScan, OperatorRecordStore, RecordNote } from '../operator-store.js';
import type { ListFilter } from '../store.js';
import { listRecords } from './list.js';
import { note } from './note.js';
import { conditionOf, DynamoDbRecords } from './records.js';

/** The records, as operators read and change them. */
export class DynamoDbOperatorRecords extends DynamoDbRecords implements OperatorRecordStore {
  list(filter: ListFilter): AsyncIterable<BacklogRecord> {
    return listRecords(filter, this.table, this);
  }

  async getItems(ids: readonly string[], consistency: 'strong' | 'eventual' = 'strong'): Promise<Found[]> {
    const items = await this.table.getManyStored(ids, consistency);
    const found = [...new Set(ids)].map((id) => items.get(id)).filter((item) => item !== undefined);
    return found.map((stored) => this.find(stored));
  }

  async scan({ segment, segments, after, limit }: ItemsScan) {
    const page = await this.table.scan({
      Segment: segment,
      TotalSegments: segments,
      ...(limit === undefined ? {} : { Limit: limit }),
      ...(after === undefined ? {} : { ExclusiveStartKey: { id: { S: after } } }),
    });
    return { found: page.items.map((stored) => this.find(stored)), next: page.last?.id?.S };
  }

  note(record: BacklogRecord, set: RecordNote): Promise<'settled' | 'changed'> {
    return note(record, set, { records: this, table: this.table });
  }

  async remove(record: BacklogRecord, rev: string): Promise<'removed' | 'changed'> {
    if (record.rev === undefined) {
      // All its attributes are its fence. They are compared once, to write a `rev` that is the fence from then on.
      const found = await this.table.getStored(record.id);
      if (!(await this.stamp(record, rev, found))) return this.isGone(record.id);
      return this.remove(asWritten(record, { set: {}, remove: [] }, rev), rev);
    }
    const isRemoved = await this.whileAsRead(record, (compare) =>
      this.table.delete(record.id, conditionOf(record, compare)),
    );
    return isRemoved ? 'removed' : this.isGone(record.id);
  }

  private async isGone(id: string): Promise<'removed' | 'changed'> {
    return (await this.table.get(id, 'id')) === undefined ? 'removed' : 'changed';
  }
}
