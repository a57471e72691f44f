import { type BacklogRecord, deadLane, lanesOf, MAX_SHARDS } from '../../../record/index.js';
import type { OperatorStore } from '../../../store/operator-store.js';
import type { DuePage, IndexKey } from '../../../store/store.js';
import type { RecordFilter } from './filter.js';

/** A page of records. */
export interface FoundPage {
  readonly records: readonly BacklogRecord[];
  /** How many records were read to find them. */
  readonly examined: number;
  /** Where the next page goes on; undefined: there is none. */
  readonly next: string | undefined;
}

/** How much a page may show and read. */
export interface PageBounds {
  readonly rows: number;
  readonly examined: number;
}

export const BOUNDS: PageBounds = { rows: 40, examined: 200 };

const FOR_EVER = Date.UTC(9999, 11, 31);
const CHUNK = 100;

/** A stretch of the index. */
interface Place {
  readonly lane: string;
  readonly order: 'oldestFirst' | 'newestFirst';
}

interface SearchDeps {
  readonly store: OperatorStore;
  readonly now: number;
  /** Queues that hold waiting or dead records, for a filter that names none. */
  readonly queues: readonly string[];
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
  if (filter.statuses.includes('SUCCESS')) return searchTable(filter, after, deps, bounds);
  const places = placesOf(filter, deps.queues);
  const start = readCursor(after, places);
  const found: BacklogRecord[] = [];
  const firsts = new FirstPages(deps.store, places);
  let examined = 0;
  for (let i = start.place; i < places.length; i++) {
    let position = i === start.place ? start.after : undefined;
    for (let more = true; more; ) {
      const place = places[i] as Place;
      const limit = Math.min(
        CHUNK,
        filter.examines ? bounds.examined - examined : bounds.rows - found.length,
      );
      const page =
        position === undefined
          ? await firsts.of(i, limit)
          : await deps.store.queryDue({ ...place, until: FOR_EVER, limit, after: position });
      const items = await deps.store.readItems(page.keys.map(({ id }) => id));
      const byId = new Map(items.map(({ record }) => [record.id, record]));
      for (const key of page.keys) {
        position = key;
        examined++;
        const record = byId.get(key.id);
        if (record && filter.matches(record, deps.now)) found.push(record);
        if (found.length === bounds.rows || examined === bounds.examined) {
          const isLast = key === page.keys.at(-1) && !page.more;
          return { records: found, examined, next: nextOf(places, i, isLast ? undefined : key) };
        }
      }
      more = page.more && page.keys.length > 0;
    }
  }
  return { records: found, examined, next: undefined };
}

/** A queue has one lane, mostly: its other 31 are looked into at the same time. */
class FirstPages {
  private readonly pages = new Map<number, Promise<DuePage>>();

  constructor(
    private readonly store: OperatorStore,
    private readonly places: readonly Place[],
  ) {}

  of(place: number, limit: number): Promise<DuePage> {
    const known = this.pages.get(place);
    if (known)
      return known.then((page) => ({
        keys: page.keys.slice(0, limit),
        more: page.more || page.keys.length > limit,
      }));
    const first = this.ask(place, limit);
    if ((place + 1) % MAX_SHARDS !== 1) {
      const end = Math.ceil((place + 1) / MAX_SHARDS) * MAX_SHARDS;
      for (let i = place; i < end; i++) this.pages.set(i, i === place ? first : this.ask(i, limit));
    }
    return first;
  }

  private ask(i: number, limit: number): Promise<DuePage> {
    const answer = this.store.queryDue({ ...(this.places[i] as Place), until: FOR_EVER, limit });
    // A page that is full before it comes to this lane asks no more.
    answer.catch(() => {});
    return answer;
  }
}

/** The rows are by the id, which says nothing: the order of a table is that of its keys' hashes. */
async function searchTable(
  filter: RecordFilter,
  after: string | undefined,
  { store, now }: SearchDeps,
  bounds: PageBounds,
): Promise<FoundPage> {
  const found: BacklogRecord[] = [];
  let examined = 0;
  let position = after?.startsWith(TABLE) ? after.slice(TABLE.length) : undefined;
  do {
    const limit = Math.min(bounds.rows - found.length, bounds.examined - examined);
    const page = await store.scanItems({ segment: 0, segments: 1, after: position, limit });
    examined += page.found.length;
    found.push(...page.found.map(({ record }) => record).filter((record) => filter.matches(record, now)));
    position = page.next;
  } while (position !== undefined && found.length < bounds.rows && examined < bounds.examined);
  return { records: found, examined, next: position === undefined ? undefined : `${TABLE}${position}` };
}
const TABLE = 'table ';

function placesOf({ queue, statuses }: RecordFilter, queues: readonly string[]): Place[] {
  const lanes = (queue === undefined ? queues : [queue]).flatMap((name) => lanesOf(name));
  const waits = statuses.some((status) => status === 'NEW' || status === 'ERROR');
  return [
    ...(waits ? lanes.map((lane): Place => ({ lane, order: 'oldestFirst' })) : []),
    ...(statuses.includes('DEAD')
      ? lanes.map((lane): Place => ({ lane: deadLane(lane), order: 'newestFirst' }))
      : []),
  ];
}

/** A page that ends with a lane goes on with the next one. */
function nextOf(places: readonly Place[], place: number, after: IndexKey | undefined): string | undefined {
  const at = after === undefined ? place + 1 : place;
  const lane = places[at]?.lane;
  if (lane === undefined) return undefined;
  return JSON.stringify(after === undefined ? { lane } : { lane, dueAt: after.dueAt, id: after.id });
}

/** A cursor of another filter, or one that is none, begins at the beginning. */
function readCursor(text: string | undefined, places: readonly Place[]): { place: number; after?: IndexKey } {
  const { lane, dueAt, id } = asRecord(text);
  const place = places.findIndex((one) => one.lane === lane);
  if (place < 0) return { place: 0 };
  return typeof dueAt === 'string' && typeof id === 'string' ? { place, after: { dueAt, id } } : { place };
}

function asRecord(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
