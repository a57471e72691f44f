import type { Tables } from '../../operate/tables.js';
import type { BacklogRecord } from '../../record/index.js';

/** The cost of a sample at most. */
export interface ReadBudget {
  /** Records that are read. */
  readonly records: number;
  /** Read units for records; what the index costs comes on top. */
  readonly units: number;
  /** Index entries from which these records are chosen; 80 to 150 of them are a read unit. */
  readonly entries: number;
}

/** The number of records that are read first: their size is not known before. */
const FIRST_RECORDS = 5;
const MAX_AT_ONCE = 100;

/** The number of further records that the rest of a budget pays for, by what those before have cost: one at least. */
export function affordable(left: number, { read, spent }: { readonly read: number; readonly spent: number }) {
  if (left === Number.POSITIVE_INFINITY) return MAX_AT_ONCE;
  if (read === 0) return FIRST_RECORDS;
  return Math.min(MAX_AT_ONCE, Math.max(1, Math.floor(left / Math.max(0.01, spent / read))));
}

/** Reads records in this order, as they were a moment ago, until they have cost `mostUnits`. */
export async function readWithin(
  tables: Pick<Tables, 'open'>,
  ids: readonly string[],
  mostUnits: number,
): Promise<{
  /** The records that were read. */
  readonly records: readonly BacklogRecord[];
  /** Their cost. */
  readonly readUnits: number;
}> {
  const { store, units } = tables.open();
  const records: BacklogRecord[] = [];
  let read = 0;
  for (let spent = 0; read < ids.length && (read === 0 || spent < mostUnits); spent = units().readUnits) {
    const next = ids.slice(read, read + affordable(mostUnits - spent, { read, spent }));
    for (const { record } of await store.records.getItems(next, 'eventual')) records.push(record);
    read += next.length;
  }
  return { records, readUnits: units().readUnits };
}
