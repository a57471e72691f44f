import * as z from 'zod/mini';
import { flowOptions } from '../client/options.js';
import { type ConnectionOptions, clientAlone, connectionShape, storeWith, tableName } from '../connection.js';
import type { NumberedInserts } from '../store/numbered-inserts.js';
import type { SharedItems } from '../store/shared-items.js';
import type { RecordStore } from '../store/store.js';

/** Options of `RecordLines`. `table` and `controlTable` are required. */
export interface RecordLinesOptions extends ConnectionOptions {
  /** Name of the table of records. */
  readonly table: string;
  /** Name of the control table. */
  readonly controlTable: string;
  /** A store in place of the tables, for tests, such as a `MemoryStore`. Default: the tables. */
  readonly store?: RecordLinesStore | undefined;
}

/** @inline */
export interface RecordLinesStore {
  /** The records. */
  readonly records: Pick<RecordStore, 'get'>;
  /** The items of lines. */
  readonly lines: SharedItems;
  /** The insertion of records that get numbers. */
  readonly numbered: NumberedInserts;
}

export const recordLinesSchema = z
  .strictObject({
    table: tableName,
    controlTable: tableName,
    ...connectionShape,
    store: z.optional(storeWith<RecordLinesStore>('get')),
  })
  .check(clientAlone);

const { signal, onProgress } = flowOptions;

export const insertOptions = z.strictObject({ signal, onProgress });
