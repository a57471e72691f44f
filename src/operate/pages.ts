import { deadLane, lanesOf, type Status } from '../record/index.js';
import { MAX_ID_BYTES } from '../store/item-limits.js';
import type { Found, OperatorStore } from '../store/operator-store.js';
import type { DueQuery, IndexKey } from '../store/store.js';
import { LAST_TIME } from '../support/clock.js';
import type { Selected } from './selection.js';

/** Records that were asked for, as they are now, and ids that no record has. */
export interface Page {
  readonly found: readonly Found[];
  readonly missing: readonly string[];
}

/** The records to look at. With ids and a selection: those of the ids that match. */
export type Wanted =
  | { readonly ids: readonly string[]; readonly selected?: Selected }
  | { readonly selected: Selected }
  | { readonly idPages: () => AsyncIterable<readonly string[]> };

interface PagesDeps {
  readonly store: OperatorStore;
  /** Records in a page. */
  readonly size: number;
  /** The records are put off until then, epoch milliseconds. Default: they get earlier due times, or leave the index. */
  readonly putOffUntil?: number | undefined;
  /** The backlog's time, epoch milliseconds. */
  readonly now: () => number;
  readonly patiently: <Answer>(request: () => Promise<Answer>) => Promise<Answer>;
}

/**
 * Reads the records that may be wanted, page by page: by id or by the index, read strongly, or by the whole table. A record
 * that moves meanwhile to a part of the index that is still to be read comes once more.
 */
export function pagesOf(wanted: Wanted, deps: PagesDeps): AsyncGenerator<Page> {
  if ('ids' in wanted) return byId(wanted.ids, deps);
  if ('idPages' in wanted) return byPagesOfIds(wanted.idPages(), deps);
  const { queues, key, statuses } = wanted.selected;
  const lanes = lanesHolding(queues, statuses);
  if (queues === undefined || lanes === undefined) return ofTable(deps);
  const waits = statuses.some((status) => status !== 'DEAD');
  return key === undefined || !waits ? ofLanes(lanes, deps) : ofKey({ queues, key, lanes }, deps);
}

/** The lanes that hold all indexed records of these statuses of queues; undefined if only the whole table does. */
function lanesHolding(
  queues: readonly string[] | undefined,
  statuses: readonly Status[],
): readonly string[] | undefined {
  if (queues === undefined || statuses.includes('SUCCESS')) return undefined;
  const lanes = [...new Set(queues)].flatMap((queue) => lanesOf(queue));
  const waiting = statuses.some((status) => status !== 'DEAD') ? lanes : [];
  return [...waiting, ...(statuses.includes('DEAD') ? lanes.map(deadLane) : [])];
}

async function* byId(ids: readonly string[], deps: PagesDeps): AsyncGenerator<Page> {
  const unique = [...new Set(ids)];
  for (let i = 0; i < unique.length; i += deps.size) yield readPage(unique.slice(i, i + deps.size), deps);
}

async function* byPagesOfIds(pages: AsyncIterable<readonly string[]>, deps: PagesDeps): AsyncGenerator<Page> {
  for await (const ids of pages) yield* byId(ids, deps);
}

/** Reads what waits in the lines of a key, and then lanes: of a queue with order, the index has the heads of lines alone. */
async function* ofKey(
  wanted: { readonly queues: readonly string[]; readonly key: string; readonly lanes: readonly string[] },
  deps: PagesDeps,
): AsyncGenerator<Page> {
  const { queues, key, lanes } = wanted;
  const { store, patiently } = deps;
  // Loaded by those who select by keys.
  const { waitingIds } = await import('../lines/waiting-ids.js');
  const lines = { getMany: (keys: readonly string[]) => patiently(() => store.lines.getMany(keys)) };
  const inLine = new Set<string>();
  for (const queue of new Set(queues)) {
    for await (const ids of waitingIds({ queue, key }, lines)) {
      // A record whose number was changed is in two places.
      const others = ids.filter((id) => !inLine.has(id));
      for (const id of others) inLine.add(id);
      yield* withoutMissing(byId(others, deps));
    }
  }
  for await (const { found, missing } of ofLanes(lanes, deps))
    yield { found: found.filter(({ record }) => !inLine.has(record.id)), missing };
}

/** Records that are gone by now were removed meanwhile. */
async function* withoutMissing(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  for await (const { found } of pages) yield { found, missing: [] };
}

/**
 * Reads lanes in the order in which changed records are not met again. Records that are put off are read from the newest on:
 * an attempt meanwhile may move one past the place of the reader, so those due from the beginning on are read once more.
 */
async function* ofLanes(lanes: readonly string[], deps: PagesDeps): AsyncGenerator<Page> {
  const { putOffUntil, now } = deps;
  for (const lane of lanes) {
    const from = now();
    if (putOffUntil === undefined) yield* ofRange({ lane, until: LAST_TIME, order: 'oldestFirst' }, deps);
    else {
      yield* ofRange({ lane, until: LAST_TIME, order: 'newestFirst' }, deps);
      yield* ofRange({ lane, from, until: putOffUntil - 1, order: 'oldestFirst' }, deps);
    }
  }
}

async function* ofRange(
  range: Pick<DueQuery, 'lane' | 'from' | 'until' | 'order'>,
  deps: PagesDeps,
): AsyncGenerator<Page> {
  const { store, size: limit, patiently } = deps;
  let after: IndexKey | undefined;
  for (let more = true; more; ) {
    const query = { ...range, limit, after };
    const page = await patiently(() => store.pages.query(query));
    const ids = page.keys.map(({ id }) => id);
    // Records that are gone by now were removed meanwhile.
    if (ids.length > 0) yield { ...(await readPage(ids, deps)), missing: [] };
    after = page.keys.at(-1) ?? after;
    more = page.more && page.keys.length > 0;
  }
}

/** Reads the whole table. A page of DynamoDB is up to 1 MB, and is handed on in pages of `size`. */
async function* ofTable(deps: PagesDeps): AsyncGenerator<Page> {
  const { store, size, patiently } = deps;
  let after: string | undefined;
  do {
    const page = await patiently(() => store.records.scan({ segment: 0, segments: 1, after }));
    for (let i = 0; i < page.found.length; i += size) {
      yield { found: page.found.slice(i, i + size), missing: [] };
    }
    after = page.next;
  } while (after !== undefined);
}

/** Reads the records of these ids as they are now, in the order of the ids. */
export async function readPage(
  ids: readonly string[],
  { store, patiently }: Pick<PagesDeps, 'store' | 'patiently'>,
): Promise<Page> {
  // A request that names an id which no record can have would be refused as a whole.
  const possible = ids.filter((id) => Buffer.byteLength(id) <= MAX_ID_BYTES);
  const found = await patiently(() => store.records.getItems(possible));
  const known = new Set(found.map(({ record }) => record.id));
  return { found, missing: ids.filter((id) => !known.has(id)) };
}
