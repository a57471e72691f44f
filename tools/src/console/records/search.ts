import type { BacklogRecord } from 'dynamo-backlog';
import {
  deadLane,
  isId,
  isLaneOf,
  LAST_TIME,
  lanesOf,
  type OperatorStore,
  type StoreTypes,
  type Tables,
  withoutDeadEnding,
} from 'dynamo-backlog/engine';
import { affordable, PAGE_BUDGET } from '../read-within.js';
import type { RecordFilter } from './filter.js';

/** A page of records. */
export interface FoundPage {
  readonly records: readonly BacklogRecord[];
  /** The number of records that were read to find them. */
  readonly examined: number;
  readonly readUnits: number;
  /** The place from which the next page goes on; undefined: there is none. */
  readonly next: string | undefined;
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

/** A stretch of the index. */
interface Place {
  /** The group of the lane: one for all lanes of a queue's living records, and one for its dead ones. */
  readonly group: string;
  readonly lane: string;
  readonly order: 'oldestFirst' | 'newestFirst';
}

/** A queue, and the lanes that its living records may be in. */
export interface SearchedQueue {
  readonly queue: string;
  readonly lanes: readonly string[];
  /** It holds no records. Default: it may. */
  readonly isEmpty?: boolean | undefined;
}

interface SearchDeps {
  readonly tables: Pick<Tables, 'open'>;
  readonly now: number;
  /** Queues that are known; a filter may name another one. */
  readonly queues: readonly SearchedQueue[];
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
 * @param after `next` of the page before
 */
export async function searchRecords(
  filter: RecordFilter,
  after: string | undefined,
  deps: SearchDeps,
  bounds: PageBounds = BOUNDS,
): Promise<FoundPage> {
  const search = { ...deps, ...deps.tables.open(), bounds };
  const found = await (filter.statuses.includes('SUCCESS')
    ? searchTable(filter, after, search)
    : searchIndex(filter, after, search));
  return { ...found, readUnits: search.units().readUnits };
}

async function searchIndex(
  filter: RecordFilter,
  after: string | undefined,
  { store, now, queues, bounds, units }: OpenSearch,
): Promise<Omit<FoundPage, 'readUnits'>> {
  const cursor = asRecord(after);
  const places = placesOf(filter, queues, cursor.lane);
  const start = startOf(cursor, places);
  const found: BacklogRecord[] = [];
  const firsts = new FirstPages(store, places);
  let examined = 0;
  for (let i = start.place; i < places.length; i++) {
    let position = i === start.place ? start.after : undefined;
    for (let more = true; more; ) {
      const { lane, order } = places[i] as Place;
      const spent = units().readUnits;
      const limit = Math.min(
        filter.examines ? bounds.examined - examined : bounds.rows - found.length,
        affordable(bounds.units - spent, { read: examined, spent }),
      );
      const page =
        position === undefined
          ? await firsts.of(i, limit)
          : await store.pages.query({ lane, order, until: LAST_TIME, limit, after: position });
      const ids = page.keys.map(({ id }) => id);
      const items = await store.records.getItems(ids, 'eventual');
      const isSpent = units().readUnits >= bounds.units;
      const byId = new Map(items.map(({ record }) => [record.id, record]));
      for (const key of page.keys) {
        position = key;
        examined++;
        const record = byId.get(key.id);
        if (record && filter.matches(record, now)) found.push(record);
        const isEnd = key === page.keys.at(-1);
        if (found.length === bounds.rows || examined === bounds.examined || (isSpent && isEnd)) {
          const isLast = isEnd && !page.more;
          return { records: found, examined, next: nextOf(places, i, isLast ? undefined : key) };
        }
      }
      more = page.more && page.keys.length > 0;
    }
  }
  return { records: found, examined, next: undefined };
}

/** The first page of each lane. If the first lane of a queue does not fill the page, the others are read at the same time. */
class FirstPages {
  private readonly pages = new Map<number, Promise<StoreTypes.DuePage>>();

  constructor(
    private readonly store: OperatorStore,
    private readonly places: readonly Place[],
  ) {}

  of(place: number, limit: number): Promise<StoreTypes.DuePage> {
    if (!this.pages.has(place)) this.askFrom(place, limit);
    return (this.pages.get(place) ?? this.ask(place, limit)).then((page) => ({
      keys: page.keys.slice(0, limit),
      more: page.more || page.keys.length > limit,
    }));
  }

  private askFrom(place: number, limit: number): void {
    const isFirst = this.places[place]?.group !== this.places[place - 1]?.group;
    for (let i = place; this.places[i]?.group === this.places[place]?.group; i++) {
      this.pages.set(i, this.ask(i, limit));
      if (isFirst) return;
    }
  }

  private ask(i: number, limit: number): Promise<StoreTypes.DuePage> {
    const { lane, order } = this.places[i] as Place;
    const answer = this.store.pages.query({ lane, order, until: LAST_TIME, limit });
    // A page that is full before it comes to this lane asks no more.
    answer.catch(() => {});
    return answer;
  }
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

/** @param at the lane in which the page before has ended */
function placesOf({ queue, statuses }: RecordFilter, queues: readonly SearchedQueue[], at: unknown): Place[] {
  const isAt = (one: SearchedQueue) => typeof at === 'string' && isLaneOf(withoutDeadEnding(at), one.queue);
  const known = queues
    .filter((one) => (queue === undefined || one.queue === queue) && (one.isEmpty !== true || isAt(one)))
    // The next page goes on where the one before has ended, also if the queue is empty by now, or has fewer lanes.
    .map((one) => (isAt(one) && !one.lanes.includes(withoutDeadEnding(String(at))) ? allLanesOf(one) : one));
  const all = known.length > 0 || queue === undefined ? known : [{ queue, lanes: lanesOf(queue) }];
  const waits = statuses.some((status) => status === 'NEW' || status === 'ERROR');
  const waiting = all.flatMap((one) =>
    one.lanes.map((lane): Place => ({ group: one.queue, lane, order: 'oldestFirst' })),
  );
  const dead = waiting.map(
    ({ group, lane }): Place => ({ group: deadLane(group), lane: deadLane(lane), order: 'newestFirst' }),
  );
  return [...(waits ? waiting : []), ...(statuses.includes('DEAD') ? dead : [])];
}

function allLanesOf({ queue }: SearchedQueue): SearchedQueue {
  return { queue, lanes: lanesOf(queue) };
}

/** The cursor of the next page. A page that ends with a lane goes on with the next one. */
function nextOf(
  places: readonly Place[],
  place: number,
  after: StoreTypes.IndexKey | undefined,
): string | undefined {
  const at = after === undefined ? place + 1 : place;
  const lane = places[at]?.lane;
  if (lane === undefined) return undefined;
  return JSON.stringify(after === undefined ? { lane } : { lane, dueAt: after.dueAt, id: after.id });
}

/** The place at which a page begins. A cursor of another filter, or one that is none, begins at the beginning. */
function startOf(
  { lane, dueAt, id }: Record<string, unknown>,
  places: readonly Place[],
): { place: number; after?: StoreTypes.IndexKey } {
  const place = places.findIndex((one) => one.lane === lane);
  if (place < 0) return { place: 0 };
  return isSortKey(dueAt) && isId(id) ? { place, after: { dueAt, id } } : { place };
}

/** Tells whether DynamoDB takes it as a sort key. */
function isSortKey(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= 1024;
}

function asRecord(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
