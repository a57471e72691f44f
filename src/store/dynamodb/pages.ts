import type { BacklogRecord } from '../../record/index.js';
import { itemBytes } from '../../record/item-size.js';
import { clampToRange } from '../range.js';
import type { DuePage, DueQuery, IndexKey, PageRead, PageStore } from '../store.js';
import { Expressions } from './expressions.js';
import type { DynamoDbQueues } from './queues.js';
import type { DynamoDbRecords } from './records.js';
import type { Table } from './table.js';

/** The name of the index of records that wait, or are dead. */
export const DUE_INDEX = 'due';

/**
 * The size, as DynamoDB counts it, from which on a page gets no more records. In memory, maps and lists take five times as
 * much, and those of tiny values twenty times.
 */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;
/** The size from which on a page has the memory for itself. A smaller one has the last records of the page before beside it. */
const LARGE_PAGE_BYTES = 2 * 1024 * 1024;
/** Records that are read whatever their size. It tells how many more are read at once. */
const READ_FIRST = 25;

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
    const [records, state] = await Promise.all([
      this.records.getMany(ids.slice(0, READ_FIRST)),
      this.queues.read(queue),
    ]);
    const bytes = bytesOf(records);
    // Records that are read by now tell the size of the others by their mean.
    const isLarge = bytes * ids.length > LARGE_PAGE_BYTES * records.length;
    const page = { records, queue: state, ...(isLarge ? { isLarge } : {}) };
    if (ids.length <= READ_FIRST) return page;
    return { ...page, unread: await this.readMore(records, ids.slice(READ_FIRST), bytes) };
  }

  /** Reads as many more records as fit into the memory of a page, beside those of so many bytes. Returns the ids of the others. */
  private async readMore(
    records: BacklogRecord[],
    ids: readonly string[],
    firstBytes: number,
  ): Promise<readonly string[]> {
    let unread = ids;
    let bytes = firstBytes;
    for (let sized = records.length; unread.length > 0; ) {
      bytes += bytesOf(records.slice(sized));
      sized = records.length;
      const more = Math.floor((MAX_PAGE_BYTES - bytes) / Math.max(1, bytes / sized || 0));
      if (more < 1) break;
      records.push(...(await this.records.getMany(unread.slice(0, more))));
      unread = unread.slice(more);
    }
    return unread;
  }
}

/** The key of an index entry, after which a query continues. */
export function indexKey({ id, dueAt }: IndexKey, lane: string) {
  return { id: { S: id }, dueAt: { S: dueAt }, lane: { S: lane } };
}

function bytesOf(records: readonly BacklogRecord[]): number {
  return records.reduce((sum, { payload, attributes }) => sum + itemBytes({ payload, attributes }), 0);
}
