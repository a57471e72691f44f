import { DEFAULT_TIERS } from '../policies/index.js';
import { deadLane, lanesOf, type RetryMode } from '../record/index.js';
import type { OperatorStore } from '../store/operator-store.js';
import type { IndexKey, QueueState } from '../store/store.js';

/** How the queues of a backlog are doing. */
export interface Stats {
  /** What the count cost, as DynamoDB reports it. */
  readonly readUnits: number;
  /** The backlog's time, ISO-8601. */
  readonly at: string;
  /** By name, in alphabetical order. */
  readonly queues: readonly QueueStats[];
}

/** How a queue is doing. Counts are of records that are indexed. */
export interface QueueStats {
  /** Its name. */
  readonly queue: string;
  /** How it retries, once a run has noted it. */
  readonly retryMode: RetryMode | undefined;
  /** An operator has stopped it. */
  readonly paused: boolean;
  /** Since when, ISO-8601; absent where it is not known. */
  readonly pausedAt?: string | undefined;
  /** Destinations whose circuit breaker is open. */
  readonly openBreakers: number;
  /** `NEW` and `ERROR` together: the index does not tell them apart. */
  readonly pending: number;
  /** Given up, and still in the index. */
  readonly dead: number;
  /** The first due time of all that wait, ISO-8601; on a progressive queue the insertion of its oldest record. */
  readonly oldestDueAt: string | undefined;
  /** For a queue that retries per record, by how much its oldest due record is late, in the backlog's seconds. */
  readonly lagSeconds?: number | undefined;
  /** For a queue that retries per record. The windows begin now, and hold the shorter ones. */
  readonly due?: {
    /** Due by now. */
    readonly now: number;
    /** Due within a minute. */
    readonly minute: number;
    /** Due within an hour. */
    readonly hour: number;
    /** Due within a day. */
    readonly day: number;
  };
  /** For a progressive queue, the records by age, in the bands of the default tiers, the youngest first. */
  readonly ages?: readonly {
    /** Where the band begins, in the backlog's seconds. */
    readonly fromAgeSeconds: number;
    /** Where it ends; undefined: without end. */
    readonly untilAgeSeconds: number | undefined;
    /** Records in it. */
    readonly count: number;
  }[];
  /** For a progressive queue, the records that are not due yet, as their producer or a move has them wait. */
  readonly delayed?: number | undefined;
}

interface StatsDeps {
  readonly store: Pick<OperatorStore, 'countDue' | 'queryDue'>;
  readonly patiently: <Answer>(request: () => Promise<Answer>) => Promise<Answer>;
}

/** What text sorts by ends here. */
const FOR_EVER = Date.UTC(9999, 11, 31);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Counts one queue in the index: each entry once.
 *
 * @param all its lanes. Default: as many as a queue can have
 */
export async function statsOf(
  queue: string,
  { paused, pausedAt, retryMode, breakers }: QueueState,
  now: number,
  deps: StatsDeps,
  all: readonly string[] = lanesOf(queue),
): Promise<QueueStats> {
  const inUse = await lanesInUse(all, deps);
  const [oldest] = [...inUse.values()].sort();
  const dead = await count(all.map(deadLane), {}, deps);
  const common = {
    queue,
    retryMode: retryMode?.mode,
    paused,
    ...(pausedAt === undefined ? {} : { pausedAt }),
    openBreakers: breakers.size,
    dead,
    oldestDueAt: oldest,
  };
  const isByAge = retryMode?.mode === 'progressive';
  if (oldest === undefined) {
    return { ...common, pending: 0, ...(isByAge ? byAge([], 0) : { lagSeconds: 0, due: NONE_DUE }) };
  }
  const lanes = [...inUse.keys()];
  return isByAge
    ? { ...common, ...(await countAges(lanes, now, deps)) }
    : { ...common, ...(await countDue(lanes, now, oldest, deps)) };
}

const NONE_DUE = { now: 0, minute: 0, hour: 0, day: 0 };

async function countDue(lanes: readonly string[], now: number, oldest: string, deps: StatsDeps) {
  const [dueNow = 0, first = 0, second = 0, third = 0, rest = 0] = await between(
    lanes,
    [undefined, now, now + MINUTE_MS, now + HOUR_MS, now + DAY_MS, undefined],
    deps,
  );
  const minute = first;
  const hour = minute + second;
  const day = hour + third;
  return {
    pending: dueNow + day + rest,
    // A due time that cannot be read is no lag.
    lagSeconds: Math.max(0, now - Date.parse(oldest) || 0) / 1000,
    due: { now: dueNow, minute, hour, day },
  };
}

async function countAges(lanes: readonly string[], now: number, deps: StatsDeps) {
  const ages = DEFAULT_TIERS.map(({ untilAge }) => untilAge);
  const edges = ages.map((age) => now - age * 1000).reverse();
  const counts = await between(lanes, [undefined, ...edges, now, undefined], deps);
  const delayed = counts.pop() ?? 0;
  const pending = counts.reduce((sum, one) => sum + one, delayed);
  return { pending, ...byAge(counts.reverse(), delayed) };
}

/** @param counts from the youngest band on */
function byAge(counts: readonly number[], delayed: number): Pick<QueueStats, 'ages' | 'delayed'> {
  const ages = DEFAULT_TIERS.map(({ untilAge }) => untilAge);
  return {
    ages: [...ages, undefined].map((untilAgeSeconds, i) => ({
      fromAgeSeconds: ages[i - 1] ?? 0,
      untilAgeSeconds,
      count: counts[i] ?? 0,
    })),
    delayed,
  };
}

/** How many are due between one edge and the next: behind the one, up to and with the other. */
async function between(
  lanes: readonly string[],
  edges: readonly (number | undefined)[],
  deps: StatsDeps,
): Promise<number[]> {
  return Promise.all(
    edges.slice(1).map((until, i) => {
      const before = edges[i];
      return count(lanes, { from: before === undefined ? undefined : before + 1, until }, deps);
    }),
  );
}

async function count(lanes: readonly string[], range: Range, deps: StatsDeps): Promise<number> {
  const counts = await Promise.all(lanes.map((lane) => countLane(lane, range, deps)));
  return counts.reduce((sum, one) => sum + one, 0);
}

interface Range {
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

async function countLane(lane: string, range: Range, { store, patiently }: StatsDeps): Promise<number> {
  let total = 0;
  let after: IndexKey | undefined;
  do {
    const page = await patiently(() => store.countDue({ lane, ...range, after }));
    total += page.count;
    after = page.next;
  } while (after);
  return total;
}

/** Those that hold any records, with their first due time: how many shards the queue has is not written anywhere. */
async function lanesInUse(
  lanes: readonly string[],
  { store, patiently }: StatsDeps,
): Promise<ReadonlyMap<string, string>> {
  const firsts = await Promise.all(
    lanes.map(async (lane) => {
      const query = { lane, until: FOR_EVER, order: 'oldestFirst', limit: 1 } as const;
      const [key] = (await patiently(() => store.queryDue(query))).keys;
      return [lane, key?.dueAt] as const;
    }),
  );
  return new Map(firsts.flatMap(([lane, dueAt]) => (dueAt === undefined ? [] : [[lane, dueAt] as const])));
}
