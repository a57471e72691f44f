import type { BacklogRecord } from 'dynamo-backlog';
import type { Tables } from 'dynamo-backlog/engine';

/** The cost of a page's records at most. */
export interface ReadBudget {
  readonly records: number;
  /** Read units for records; what the index costs comes on top. */
  readonly units: number;
  /** Index entries from which these records are chosen; 80 to 150 of them are a read unit. */
  readonly entries: number;
}

/** The budget of a page in AWS. With what a look at the queues costs, a page stays below 50 read units. */
export const PAGE_BUDGET: ReadBudget = { records: 50, units: 25, entries: 400 };
/** The budget of a page on the local runtime, whose embedded database bills nothing. */
export const LOCAL_BUDGET: ReadBudget = {
  records: 300,
  units: Number.POSITIVE_INFINITY,
  entries: 5_000,
};
/** The budget of a page when an operator asks for more. */
export const LARGE_BUDGET: ReadBudget = { records: 1_000, units: 500, entries: 20_000 };

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
): Promise<{ readonly records: readonly BacklogRecord[]; readonly readUnits: number }> {
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
