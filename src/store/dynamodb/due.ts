import type { BacklogRecord } from '../../record/index.js';
import { deadLane, lanesOf } from '../../record/index.js';
import { clampToRange } from '../range.js';
import type { DuePage, DueQuery, IndexKey, ListFilter } from '../store.js';
import { Expressions } from './expressions.js';
import type { DynamoDbRecords } from './records.js';
import type { StoredPage, Table } from './table.js';

export const DUE_INDEX = 'due';
const LIST_PAGE = 100;

/** The sparse index: what is due, and the records of a queue by status. */
export class DynamoDbIndex {
  constructor(
    private readonly table: Table,
    private readonly records: DynamoDbRecords,
  ) {}

  async queryDue(query: DueQuery): Promise<DuePage> {
    const range = clampToRange(query);
    if (!range) return { keys: [], more: false };
    const expressions = new Expressions();
    const inLane = expressions.equal('lane', query.lane);
    const dueAt = expressions.name('dueAt');
    const inTime =
      range.from === undefined
        ? `${dueAt} <= ${expressions.value(range.until)}`
        : `${dueAt} BETWEEN ${expressions.value(range.from)} AND ${expressions.value(range.until)}`;
    const answer = await this.table.query({
      IndexName: DUE_INDEX,
      KeyConditionExpression: `${inLane} AND ${inTime}`,
      ScanIndexForward: query.order === 'oldestFirst',
      Limit: query.limit,
      ...(range.after ? { ExclusiveStartKey: indexKey(range.after, query.lane) } : {}),
      ...expressions.placeholders(),
    });
    const keys = answer.items.map(({ id, dueAt }) => ({ id: id?.S ?? '', dueAt: dueAt?.S ?? '' }));
    return { keys, more: answer.last !== undefined };
  }

  async *list(filter: ListFilter): AsyncGenerator<BacklogRecord> {
    const lanes = lanesHolding(filter);
    for await (const record of lanes ? this.lanes(lanes) : this.scan(filter)) {
      if (matches(record, filter)) yield record;
    }
  }

  private async *lanes(lanes: readonly string[]): AsyncGenerator<BacklogRecord> {
    for (const lane of lanes) yield* this.lane(lane);
  }

  private async *lane(lane: string): AsyncGenerator<BacklogRecord> {
    const expressions = new Expressions();
    const condition = expressions.equal('lane', lane);
    let start: StoredPage['last'];
    do {
      const page = await this.table.query({
        IndexName: DUE_INDEX,
        KeyConditionExpression: condition,
        Limit: LIST_PAGE,
        ...(start ? { ExclusiveStartKey: start } : {}),
        ...expressions.placeholders(),
      });
      yield* await this.records.getMany(page.items.map(({ id }) => id?.S ?? ''));
      start = page.last;
    } while (start);
  }

  private async *scan(filter: ListFilter): AsyncGenerator<BacklogRecord> {
    const conditions = scanFilter(filter);
    let start: StoredPage['last'];
    do {
      const page = await this.table.scan({ ...conditions, ...(start ? { ExclusiveStartKey: start } : {}) });
      for (const item of page.items) yield this.records.parse(item);
      start = page.last;
    } while (start);
  }
}

/**
 * Pending and dead records of a queue are in lanes of their own, of any number of shards that it has or had; others are
 * found by reading the whole table (undefined).
 */
export function lanesHolding({ queue, status }: ListFilter): string[] | undefined {
  if (queue === undefined || status === undefined || status === 'SUCCESS') return undefined;
  return status === 'DEAD' ? lanesOf(queue).map(deadLane) : lanesOf(queue);
}

/** The key of an index entry, after which a query continues. */
export function indexKey({ id, dueAt }: IndexKey, lane: string) {
  return { id: { S: id }, dueAt: { S: dueAt }, lane: { S: lane } };
}

/** What DynamoDB can decide without knowing the defaults of absent or misspelt attributes. */
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
