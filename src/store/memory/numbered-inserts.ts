import type { Item } from '../../record/index.js';
import { isSeq } from '../../record/seq.js';
import type { NumberedInserts } from '../numbered-inserts.js';
import type { MemorySharedItems } from './shared-items.js';
import type { MemoryTable } from './table.js';

/** Numbers records in memory: nothing comes between the count and the records. */
export class MemoryNumberedInserts implements NumberedInserts {
  constructor(
    private readonly table: MemoryTable,
    private readonly items: MemorySharedItems,
  ) {}

  async insert(key: string, items: readonly Item[]): Promise<readonly ('inserted' | 'duplicate')[]> {
    const { given } = this.items.item(key) ?? {};
    let last = isSeq(given) ? given : 0;
    const answers = items.map((item) => {
      if (this.table.item(String(item.id)) !== undefined) return 'duplicate' as const;
      this.table.put({ ...item, seq: ++last });
      return 'inserted' as const;
    });
    this.items.put(key, { given: last });
    return answers;
  }
}
