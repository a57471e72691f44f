import type { Item } from '../../record/index.js';
import type { ReadingStore } from '../operator-store.js';
import { isMap, readingKey } from './control-values.js';
import { Expressions } from './expressions.js';
import type { Table } from './table.js';

/** The readings of the monitor. */
export class Readings implements ReadingStore {
  constructor(private readonly table: Table) {}

  async write(queue: string, reading: Item): Promise<void> {
    await this.table.update(readingKey(queue), new Expressions().update({ reading }, []));
  }

  async read(queue: string): Promise<Item | undefined> {
    const item = await this.table.get(readingKey(queue));
    return isMap(item?.reading) ? item.reading : undefined;
  }
}
