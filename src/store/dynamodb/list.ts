import { type BacklogRecord, deadLane, lanesOf } from '../../record/index.js';
import type { ListFilter } from '../store.js';
import { Expressions } from './expressions.js';
import { DUE_INDEX } from './pages.js';
import type { DynamoDbRecords } from './records.js';
import type { StoredPage, Table } from './table.js';

const LIST_PAGE = 100;

/** The records of a queue and a status, or of all. */
export async function* listRecords(
  filter: ListFilter,
  table: Table,
  records: DynamoDbRecords,
): AsyncGenerator<BacklogRecord> {
  const lanes = lanesHolding(filter);
  for await (const record of lanes ? inLanes(lanes, table, records) : inTable(filter, table, records)) {
    if (matches(record, filter)) yield record;
  }
}

async function* inLanes(
  lanes: readonly string[],
  table: Table,
  records: DynamoDbRecords,
): AsyncGenerator<BacklogRecord> {
  for (const lane of lanes) {
    const expressions = new Expressions();
    const condition = expressions.equal('lane', lane);
    let start: StoredPage['last'];
    do {
      const page = await table.query({
        IndexName: DUE_INDEX,
        KeyConditionExpression: condition,
        Limit: LIST_PAGE,
        ...(start ? { ExclusiveStartKey: start } : {}),
        ...expressions.placeholders(),
      });
      yield* await records.getMany(page.items.map(({ id }) => id?.S ?? ''));
      start = page.last;
    } while (start);
  }
}

async function* inTable(
  filter: ListFilter,
  table: Table,
  records: DynamoDbRecords,
): AsyncGenerator<BacklogRecord> {
  const conditions = scanFilter(filter);
  let start: StoredPage['last'];
  do {
    const page = await table.scan({ ...conditions, ...(start ? { ExclusiveStartKey: start } : {}) });
    for (const item of page.items) yield records.find(item).record;
    start = page.last;
  } while (start);
}

/**
 * The lanes of a queue's pending or dead records, of any number of shards that it has or had. Undefined: only the whole
 * table holds the records that are asked for.
 */
export function lanesHolding({ queue, status }: ListFilter): string[] | undefined {
  if (queue === undefined || status === undefined || status === 'SUCCESS') return undefined;
  return status === 'DEAD' ? lanesOf(queue).map(deadLane) : lanesOf(queue);
}

/** The part of a filter that DynamoDB can decide. It does not know the defaults of absent or misspelt attributes. */
function scanFilter({ status }: ListFilter) {
  if (status === undefined || status === 'NEW') return {};
  const expressions = new Expressions();
  const FilterExpression = expressions.equal('status', status);
  return { FilterExpression, ...expressions.placeholders() };
}

function matches(record: BacklogRecord, { queue, status }: ListFilter): boolean {
  return (
    (queue === undefined || record.queue === queue) && (status === undefined || record.status === status)
  );
}
