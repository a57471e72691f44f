import type { Item } from '../../src/record/index.js';
import type { OperatorStore } from '../../src/store/operator-store.js';
import type { IndexKey, PageStore } from '../../src/store/store.js';
import type { Random } from '../../src/support/random.js';
import { between } from './random.js';
import { replacing } from './replacing.js';
import { answerFrom } from './stale-index.js';

interface Late {
  readonly lane: string;
  readonly key: IndexKey;
  /** Time until which the index does not have it yet, or has it still. */
  readonly until: number;
}

/**
 * An index in which each key is late by itself. An item leaves one place and appears at another by two writes, which may be
 * seen in any order. So a page can name an id twice, or not at all.
 */
export function withItemLag(
  store: OperatorStore,
  itemOf: (id: string) => Item | undefined,
  now: () => number,
  random: Random,
  mostMs: number,
): OperatorStore {
  let coming: Late[] = [];
  let going: Late[] = [];
  const { records, pages } = store;
  const note = (before: Place | undefined, after: Place | undefined) => {
    if (before && before.lane === after?.lane && before.key.dueAt === after.key.dueAt) return;
    const late = () => now() + between(random, 0, mostMs);
    if (after) {
      going = going.filter((other) => !isSame(other, after));
      coming.push({ ...after, until: late() });
    }
    if (!before) return;
    // What was never seen there is not seen any more.
    const isUnseen = coming.some((other) => isSame(other, before) && other.until > now());
    coming = coming.filter((other) => !isSame(other, before));
    if (!isUnseen) going.push({ ...before, until: late() });
  };
  const query: PageStore['query'] = async (query) => {
    const { lane } = query;
    const all = { lane, until: now() + 1e12, order: 'oldestFirst', limit: 1e6 } as const;
    const { keys } = await pages.query(all);
    coming = coming.filter(({ until }) => until > now());
    going = going.filter(({ until }) => until > now());
    const unseen = coming.filter((other) => other.lane === lane);
    const seen = keys.filter((key) => !unseen.some((other) => isSame(other, { lane, key })));
    const left = going.filter((other) => other.lane === lane).map(({ key }) => key);
    const order = (a: IndexKey, b: IndexKey) => (`${a.dueAt} ${a.id}` < `${b.dueAt} ${b.id}` ? -1 : 1);
    return answerFrom([...seen, ...left].sort(order), query);
  };
  const noted =
    <Args extends [{ readonly id?: unknown }, ...unknown[]], Answer>(
      write: (...args: Args) => Promise<Answer>,
    ) =>
    async (...args: Args) => {
      const id = String(args[0].id);
      const before = placeOf(itemOf(id));
      const answer = await write(...args);
      note(before, placeOf(itemOf(id)));
      return answer;
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

interface Place {
  readonly lane: string;
  readonly key: IndexKey;
}

function placeOf(item: Item | undefined): Place | undefined {
  const { id, lane, dueAt } = item ?? {};
  if (typeof lane !== 'string' || typeof dueAt !== 'string') return undefined;
  return { lane, key: { id: String(id), dueAt } };
}

function isSame(one: Place, other: Place): boolean {
  return one.lane === other.lane && one.key.id === other.key.id && one.key.dueAt === other.key.dueAt;
}
