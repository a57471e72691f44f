import { clampToRange } from '../range.js';
import type { DuePage, DueQuery, IndexKey, PageRead, PageStore } from '../store.js';
import { Expressions } from './expressions.js';
import type { DynamoDbQueues } from './queues.js';
import type { DynamoDbRecords } from './records.js';
import type { Table } from './table.js';

/** The name of the index of records that wait, or are dead. */
export const DUE_INDEX = 'due';

/** Pages of the sparse index of due times, and of the records with their queue. */
export class DynamoDbPages implements PageStore {
  constructor(
    protected readonly table: Table,
    private readonly records: DynamoDbRecords,
    private readonly queues: DynamoDbQueues,
  ) {}

  async query(query: DueQuery): Promise<DuePage> {
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

  async read(ids: readonly string[], queue: string): Promise<PageRead> {
    const [records, state] = await Promise.all([this.records.getMany(ids), this.queues.read(queue)]);
    return { records, queue: state };
  }
}

/** The key of an index entry, after which a query continues. */
export function indexKey({ id, dueAt }: IndexKey, lane: string) {
  return { id: { S: id }, dueAt: { S: dueAt }, lane: { S: lane } };
}
