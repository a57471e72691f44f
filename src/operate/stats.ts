import { deadLane, lanesOf } from '../record/index.js';
import type { OperatorStore } from '../store/operator-store.js';
import type { IndexKey, QueueState } from '../store/store.js';
import { LAST_TIME } from '../support/clock.js';
import {
  type CountedQueue,
  countParts,
  FIRST_ENTRIES,
  firstDueTime,
  type QueueCounts,
  type QueueStats,
  type Range,
  withState,
} from './queue-stats.js';

/** @inline */
export interface StatsDeps {
  /** The index. */
  readonly store: Pick<OperatorStore, 'pages'>;
  /** Repeats what DynamoDB throttles. */
  readonly patiently: <Answer>(request: () => Promise<Answer>) => Promise<Answer>;
}

/** Counts the records of a queue in all the lanes that a queue can have, and adds its state. */
export async function statsOf(
  queue: string,
  state: QueueState,
  now: number,
  deps: StatsDeps,
): Promise<QueueStats> {
  const isByAge = state.retryMode?.mode === 'progressive';
  return withState(queue, state, await countsOf({ lanes: lanesOf(queue), isByAge }, now, deps), now);
}

/** Counts the records of one queue in the index: each entry once. */
export async function countsOf(queue: CountedQueue, now: number, deps: StatsDeps): Promise<QueueCounts> {
  const inUse = await lanesInUse(queue.lanes, deps);
  const oldestDueAt = firstDueTime([...inUse.values()]);
  const dead = await count(queue.lanes.map(deadLane), {}, deps);
  // The parts of an empty queue are not asked for.
  const countPart = (range: Range) => count([...inUse.keys()], range, deps);
  return { dead, oldestDueAt, ...(await countParts(queue, { now, oldestDueAt, countPart })) };
}

async function count(lanes: readonly string[], range: Range, deps: StatsDeps): Promise<number> {
  const counts = await Promise.all(lanes.map((lane) => countLane(lane, range, deps)));
  return counts.reduce((sum, one) => sum + one, 0);
}

async function countLane(lane: string, range: Range, { store, patiently }: StatsDeps): Promise<number> {
  let total = 0;
  let after: IndexKey | undefined;
  do {
    const page = await patiently(() => store.pages.count({ lane, ...range, after }));
    total += page.count;
    after = page.next;
  } while (after);
  return total;
}

/** Finds the lanes that hold records, with their first due time: the number of shards is not written anywhere. */
export async function lanesInUse(
  lanes: readonly string[],
  { store, patiently }: StatsDeps,
): Promise<ReadonlyMap<string, string>> {
  const firsts = await Promise.all(
    lanes.map(async (lane) => {
      const query = { lane, until: LAST_TIME, order: 'oldestFirst', limit: FIRST_ENTRIES } as const;
      const { keys } = await patiently(() => store.pages.query(query));
      return [lane, firstDueTime(keys.map(({ dueAt }) => dueAt))] as const;
    }),
  );
  return new Map(firsts.flatMap(([lane, dueAt]) => (dueAt === undefined ? [] : [[lane, dueAt] as const])));
}
