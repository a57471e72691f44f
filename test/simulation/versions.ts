import type { BacklogRecord } from '../../src/record/index.js';
import { workOf } from './outside-witness.js';

/** The version of a record that a producer has written last, and the one that a run has read. */
export class Versions {
  private readonly written = new Map<string, number>();
  /** Versions by the attributes, which a copy of the record has as they were read. */
  private readonly read = new WeakMap<
    BacklogRecord['attributes'],
    { readonly version: number; readonly record: BacklogRecord; readonly work: string }
  >();

  /** A producer has put a new version, which has none of the library's marks. */
  wrote(id: string): void {
    this.written.set(id, this.current(id) + 1);
  }

  current(id: string): number {
    return this.written.get(id) ?? 0;
  }

  /** Just now. */
  wasRead<Records extends readonly BacklogRecord[]>(records: Records): Records {
    for (const record of records)
      this.read.set(record.attributes, {
        version: this.current(record.id),
        record,
        work: workOf(record),
      });
    return records;
  }

  of(record: BacklogRecord): number {
    return this.readingOf(record).version;
  }

  /** Its work as it was read: code of a handler may have changed what it got. */
  workOf(record: BacklogRecord): string {
    return this.readingOf(record).work;
  }

  /** The record that a copy of it was made of. */
  asRead(record: BacklogRecord): BacklogRecord {
    return this.readingOf(record).record;
  }

  private readingOf(record: BacklogRecord) {
    const reading = this.read.get(record.attributes);
    if (reading === undefined) throw new Error(`${record.id}: no version of it was noted as read`);
    return reading;
  }
}
