import type { BacklogRecord, Item, RecordChange } from '../../record/index.js';
import type {
  Found,
  ItemsPage,
  ItemsScan,
  OperatorChange,
  OperatorRecordStore,
  RecordNote,
} from '../operator-store.js';
import type { ListFilter } from '../store.js';
import { ownCopy } from './freeze.js';
import type { MemoryTable } from './table.js';

/** The records, by their ids. */
export class MemoryRecords implements OperatorRecordStore {
  constructor(private readonly table: MemoryTable) {}

  async insert(item: Item): Promise<'inserted' | 'duplicate'> {
    return this.table.insert(item);
  }

  async get(id: string): Promise<BacklogRecord | undefined> {
    return this.table.find([id])[0]?.record;
  }

  async getMany(ids: readonly string[]): Promise<BacklogRecord[]> {
    return this.table.find(ids).map(({ record }) => ({
      ...record,
      payload: ownCopy(record.payload),
      attributes: ownCopy(record.attributes),
    }));
  }

  async settle(record: BacklogRecord, change: RecordChange, rev: string): Promise<'settled' | 'changed'> {
    return this.table.write(record, change, rev);
  }

  async *list({ queue, status }: ListFilter): AsyncGenerator<BacklogRecord> {
    for (const item of [...this.table.all()]) {
      const { record } = this.table.found(item);
      if (queue !== undefined && record.queue !== queue) continue;
      if (status !== undefined && record.status !== status) continue;
      yield record;
    }
  }

  async getItems(ids: readonly string[], _consistency?: 'strong' | 'eventual'): Promise<Found[]> {
    return this.table.find(ids);
  }

  /** Returns all items in the last of the segments. */
  async scan({ segment, segments, after, limit }: ItemsScan): Promise<ItemsPage> {
    const all = segment < segments - 1 ? [] : [...this.table.all()];
    const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const items = all.slice(start, limit === undefined ? undefined : start + limit);
    const isEnd = start + items.length >= all.length;
    return {
      found: items.map((item) => this.table.found(item)),
      next: isEnd ? undefined : String(items.at(-1)?.id),
    };
  }

  async change(record: BacklogRecord, change: OperatorChange, rev: string): Promise<'settled' | 'changed'> {
    return this.table.write(record, change, rev);
  }

  async note(record: BacklogRecord, note: RecordNote): Promise<'settled' | 'changed'> {
    return this.table.set(record, { ...note });
  }

  async remove(record: BacklogRecord): Promise<'removed' | 'changed'> {
    return this.table.remove(record);
  }
}
