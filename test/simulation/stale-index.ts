import type { OperatorStore } from '../../src/store/operator-store.js';
import type { DuePage, DueQuery, PageStore } from '../../src/store/store.js';
import type { Random } from '../../src/support/random.js';
import { between } from './random.js';
import { replacing } from './replacing.js';

type Keys = DuePage['keys'];

/**
 * An index that is eventually consistent, as DynamoDB's is and no emulator's: a query sees the keys as they were up to
 * some seconds ago. Every write notes what it changed.
 */
export function withStaleIndex(
  store: OperatorStore,
  now: () => number,
  random: Random,
  maxStaleMs: number,
  lanes: readonly string[],
): OperatorStore {
  const snapshots: { at: number; keys: ReadonlyMap<string, Keys> }[] = [];
  const { records, pages } = store;
  const keysOf = async (lane: string) =>
    (await pages.query({ lane, until: now() + 1e12, order: 'oldestFirst', limit: 1e6 })).keys;
  const note = async () => {
    const keys = new Map<string, Keys>();
    for (const lane of lanes) keys.set(lane, await keysOf(lane));
    snapshots.push({ at: now(), keys });
    while ((snapshots[1]?.at ?? Number.POSITIVE_INFINITY) < now() - maxStaleMs) snapshots.shift();
  };
  const query: PageStore['query'] = async (query) => {
    const seenAt = now() - between(random, 0, maxStaleMs);
    // What was current then: the state that was replaced by the first write since.
    const stale = snapshots.find(({ at }) => at > seenAt);
    // The lanes of dead records have no snapshots.
    return stale && lanes.includes(query.lane)
      ? answerFrom(stale.keys.get(query.lane) ?? [], query)
      : pages.query(query);
  };
  const noted =
    <Args extends unknown[], Answer>(write: (...args: Args) => Promise<Answer>) =>
    async (...args: Args) => {
      await note();
      return write(...args);
    };
  return replacing(
    {
      pages: { query },
      records: {
        insert: noted((item) => records.insert(item)),
        settle: noted((record, change, rev) => records.settle(record, change, rev)),
        change: noted((record, change, rev) => records.change(record, change, rev)),
        remove: noted((record, rev) => records.remove(record, rev)),
      },
    },
    store,
  );
}

export function answerFrom(keys: readonly { id: string; dueAt: string }[], query: DueQuery) {
  const inRange = keys.filter(({ dueAt }) => {
    const due = Date.parse(dueAt);
    return due <= query.until && due >= (query.from ?? Number.NEGATIVE_INFINITY);
  });
  if (query.order === 'newestFirst') inRange.reverse();
  const place = ({ id, dueAt }: { id: string; dueAt: string }) => `${dueAt} ${id}`;
  const { after } = query;
  const behind = after
    ? inRange.filter((key) =>
        query.order === 'oldestFirst' ? place(key) > place(after) : place(key) < place(after),
      )
    : inRange;
  const page = behind.slice(0, query.limit);
  return { keys: page, more: page.length < behind.length };
}
