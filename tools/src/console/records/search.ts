import type { BacklogRecord } from 'dynamo-backlog';
import { isId, type OperatorStore, type Tables } from 'dynamo-backlog/engine';
import { affordable } from 'dynamo-backlog/overview';
import { PAGE_BUDGET } from '../read-budgets.js';
import type { RecordFilter } from './filter.js';
import {
  type Cursor,
  type Place,
  type SearchedQueue,
  type Stretch,
  StretchReader,
  stretchesOf,
  turned,
} from './stretches.js';

export type { SearchedQueue };

/** A page of records. */
export interface FoundPage {
  readonly records: readonly BacklogRecord[];
  /** The number of records that were read to find them. */
  readonly examined: number;
  readonly readUnits: number;
  /** The cursor of the next page; undefined: there is none. */
  readonly next: string | undefined;
  /** The cursor of the page before; undefined: there is none, or it cannot be found. */
  readonly previous?: string | undefined;
  /** Each queue is in an order of its own. */
  readonly isByQueue?: boolean | undefined;
}

/** Limits of what a page shows and reads. */
export interface PageBounds {
  readonly rows: number;
  readonly examined: number;
  /** Read units: the page ends behind the record that comes to them. */
  readonly units: number;
}

export const BOUNDS: PageBounds = { rows: 40, examined: 200, units: PAGE_BUDGET.units };
/** Limits on the local runtime, whose embedded database bills nothing. */
export const LOCAL_BOUNDS: PageBounds = { ...BOUNDS, units: Number.POSITIVE_INFINITY };

interface SearchDeps {
  readonly tables: Pick<Tables, 'open'>;
  readonly now: number;
  /** Queues that are known; a filter may name another one. */
  readonly queues: readonly SearchedQueue[];
  /** Waiting records are in the order of the latest due time, dead ones in that of the oldest death. */
  readonly isReversed?: boolean | undefined;
  /** The page lies before the cursor, not behind it. */
  readonly isBackward?: boolean | undefined;
}

interface OpenSearch extends SearchDeps {
  readonly store: OperatorStore;
  readonly bounds: PageBounds;
  readonly units: () => { readonly readUnits: number };
}

/**
 * One page of the records that match, by the index: waiting records with the earliest due time first, then dead ones,
 * the newest first. Finished records are not indexed: for them the table itself is read, in the order of its keys.
 *
 * @param from `next` of the page before, or `previous` of the page behind it
 */
export async function searchRecords(
  filter: RecordFilter,
  from: string | undefined,
  deps: SearchDeps,
  bounds: PageBounds = BOUNDS,
): Promise<FoundPage> {
  const search = { ...deps, ...deps.tables.open(), bounds };
  const found = await (filter.statuses.includes('SUCCESS')
    ? searchTable(filter, from, search)
    : searchIndex(filter, from, search));
  return { ...found, readUnits: search.units().readUnits };
}

async function searchIndex(
  filter: RecordFilter,
  from: string | undefined,
  search: OpenSearch,
): Promise<Omit<FoundPage, 'readUnits'>> {
  const { queues, isReversed, isBackward } = search;
  const cursor = cursorOf(from);
  const shown = stretchesOf(filter, queues, cursor).map((one) => (isReversed ? turned(one) : one));
  const read = await readStretches(
    filter,
    isBackward ? shown.toReversed().map(turned) : shown,
    cursor,
    search,
  );
  const { records, examined, first, end } = read;
  const isByQueue = shown.some(({ key }) => key.includes(' '));
  return isBackward
    ? { records: records.toReversed(), examined, next: first, previous: end, isByQueue }
    : { records, examined, next: end, previous: cursor.in === undefined ? undefined : first, isByQueue };
}

/** The records of a page, in the order in which the index is read. */
interface ReadPage {
  readonly records: readonly BacklogRecord[];
  readonly examined: number;
  /** The cursor of the first entry. Undefined: there is none. */
  readonly first: string | undefined;
  /** The cursor behind which the index is read on. Undefined: this is all. */
  readonly end: string | undefined;
}

async function readStretches(
  filter: RecordFilter,
  stretches: readonly Stretch[],
  cursor: Cursor,
  { store, now, bounds, units }: OpenSearch,
): Promise<ReadPage> {
  const records: BacklogRecord[] = [];
  let examined = 0;
  let first: string | undefined;
  const start = Math.max(
    0,
    stretches.findIndex(({ key }) => key === cursor.in),
  );
  for (let i = start; i < stretches.length; i++) {
    const stretch = stretches[i] as Stretch;
    const reader = new StretchReader(store, stretch, stretch.key === cursor.in ? placeOf(cursor) : undefined);
    for (;;) {
      const spent = units().readUnits;
      const page = filter.examines ? bounds.examined - examined : bounds.rows - records.length;
      const keys = await reader.take(
        Math.min(page, affordable(bounds.units - spent, { read: examined, spent })),
        page,
      );
      if (keys.length === 0) break;
      const items = await store.records.getItems(
        keys.map(({ id }) => id),
        'eventual',
      );
      const isSpent = units().readUnits >= bounds.units;
      const byId = new Map(items.map(({ record }) => [record.id, record]));
      for (const key of keys) {
        first ??= textOf({ in: stretch.key, ...key });
        examined++;
        const record = byId.get(key.id);
        if (record && filter.matches(record, now)) records.push(record);
        const isLast = key === keys.at(-1);
        if (records.length === bounds.rows || examined === bounds.examined || (isSpent && isLast)) {
          const next = isLast && (await reader.isOver()) ? stretches[i + 1] : stretch;
          const place = next === stretch ? key : {};
          return { records, examined, first, end: next && textOf({ in: next.key, ...place }) };
        }
      }
    }
  }
  return { records, examined, first, end: undefined };
}

/** The cursor of an address. One of another filter, or one that is none, begins at the beginning. */
function cursorOf(text = '{}'): Cursor {
  try {
    const value = (JSON.parse(text) ?? {}) as Record<string, unknown>;
    const part = (name: keyof Cursor) => (typeof value[name] === 'string' ? value[name] : undefined);
    return { in: part('in'), lane: part('lane'), dueAt: part('dueAt'), id: part('id') };
  } catch {
    return {};
  }
}

function textOf(cursor: Cursor): string {
  return JSON.stringify(cursor);
}

function placeOf({ lane, dueAt, id }: Cursor): Place | undefined {
  return lane !== undefined && isSortKey(dueAt) && isId(id) ? { lane, dueAt, id } : undefined;
}

/** Tells whether DynamoDB takes it as a sort key. */
function isSortKey(value: string | undefined): value is string {
  return value !== undefined && value !== '' && Buffer.byteLength(value) <= 1024;
}

/** A page of finished records, from the table itself. Its order is that of its keys' hashes, which means nothing. */
async function searchTable(
  filter: RecordFilter,
  after: string | undefined,
  { store, now, bounds, units }: OpenSearch,
): Promise<Omit<FoundPage, 'readUnits'>> {
  const found: BacklogRecord[] = [];
  let examined = 0;
  let position = [after?.startsWith(TABLE) ? after.slice(TABLE.length) : undefined].find(isId);
  do {
    const spent = units().readUnits;
    const limit = Math.min(
      bounds.rows - found.length,
      bounds.examined - examined,
      affordable(bounds.units - spent, { read: examined, spent }),
    );
    const page = await store.records.scan({ segment: 0, segments: 1, after: position, limit });
    examined += page.found.length;
    found.push(...page.found.map(({ record }) => record).filter((record) => filter.matches(record, now)));
    position = page.next;
  } while (
    position !== undefined &&
    found.length < bounds.rows &&
    examined < bounds.examined &&
    units().readUnits < bounds.units
  );
  return { records: found, examined, next: position === undefined ? undefined : `${TABLE}${position}` };
}
const TABLE = 'table ';
