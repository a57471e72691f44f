import type { OperatorStore } from '../../src/store/operator-store.js';
import type { BacklogStore, DueQuery } from '../../src/store/store.js';
import type { Random } from '../../src/support/random.js';
import { between } from './random.js';

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
  const snapshots: { at: number; queryDue: (query: DueQuery) => ReturnType<BacklogStore['queryDue']> }[] = [];
  const noted = new Set(['insert', 'settle', 'change', 'remove']);
  const keysOf = async (lane: string) =>
    (await store.queryDue({ lane, until: now() + 1e12, order: 'oldestFirst', limit: 1e6 })).keys;
  const note = async () => {
    const before = new Map<string, Awaited<ReturnType<typeof keysOf>>>();
    for (const lane of lanes) before.set(lane, await keysOf(lane));
    const queryDue = async (query: DueQuery) => answerFrom(before.get(query.lane) ?? [], query);
    snapshots.push({ at: now(), queryDue });
    while ((snapshots[1]?.at ?? Number.POSITIVE_INFINITY) < now() - maxStaleMs) snapshots.shift();
  };
  return new Proxy(store, {
    get(_, name) {
      if (name === 'queryDue') {
        return async (query: DueQuery) => {
          const seenAt = now() - between(random, 0, maxStaleMs);
          // What was current then: the state that was replaced by the first write since.
          const stale = snapshots.find(({ at }) => at > seenAt);
          // Of the lanes of the dead nothing is remembered.
          return stale && lanes.includes(query.lane) ? stale.queryDue(query) : store.queryDue(query);
        };
      }
      const method = store[name as keyof OperatorStore] as unknown as (...args: unknown[]) => unknown;
      if (!noted.has(String(name))) return method.bind(store);
      return async (...args: unknown[]) => {
        await note();
        return method.apply(store, args);
      };
    },
  });
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
