import { parseReading, type Reading } from '../monitor/reading.js';
import { countsOfDueTimes, type QueueCounts, type QueueStats, withState } from '../operate/queue-stats.js';
import { statsOf } from '../operate/stats.js';
import type { RetryPolicy, Tier } from '../policies/index.js';
import { type BusyKey, lanesToRead, parseBusyKeys } from '../record/busy-keys.js';
import { deadLane, type Item, lanesOf, type RetryMode } from '../record/index.js';
import type { OperatorStore } from '../store/operator-store.js';
import type { QueueState } from '../store/store.js';
import { LAST_TIME, toIso } from '../support/clock.js';
import { tiersOf } from './tiers-of.js';

/** The beginning of a lane, as a look has read it. */
export interface LaneBeginning {
  /** The number of index entries that were read. */
  readonly entries: number;
  /** The lane has more of them. */
  readonly more: boolean;
}

/** The state of a queue, as far as a look tells that costs the same however much waits. */
export interface OverviewStats extends QueueStats {
  /**
   * The exactness of the counts of records. `exact`: as the index has them now. `about`: the monitor's, from
   * `countedAt`. `atLeast`: there are more, and no monitor has counted them. Due times and what the control table says
   * are exact.
   */
  readonly counted: 'exact' | 'about' | 'atLeast';
  /** The backlog's time of the monitor's count, ISO-8601. */
  readonly countedAt?: string | undefined;
  /**
   * The time at which the last record that waits is due, ISO-8601; of a progressive queue the latest time at which its tier comes to
   * it. Undefined: nothing waits, or not all of it was read.
   */
  readonly lastDueAt?: string | undefined;
  /** The time at which the first of its dead records was given up, ISO-8601. Undefined: it has none, or they were not read. */
  readonly firstDeadAt?: string | undefined;
  /** The time at which the last one was given up, ISO-8601. Undefined: it has none, or not all of them were read. */
  readonly lastDeadAt?: string | undefined;
  /** The lanes that its living records may be in: those of its shards, or all that a queue can have. */
  readonly lanes: readonly string[];
  /** The beginning of each of these lanes, and of those of its dead records. Undefined: all of it was counted. */
  readonly beginnings?: ReadonlyMap<string, LaneBeginning> | undefined;
  /** The keys that have a lane of their own, or had one of late. Default: none. */
  readonly busyKeys?: readonly BusyKey[] | undefined;
  /** The number of waiting records that have failed, about, by the monitor. Undefined: no monitor has noted it. */
  readonly inRetry?: number | undefined;
  /** The monitor's last reading of the queue; undefined: there is none that can be read. */
  readonly reading: Reading | undefined;
}

/**
 * Most index entries that a look at all queues reads: 80 to 150 of them are a read unit. A view that looks at the
 * queues, and reads something itself, stays below 50 read units.
 */
const MAX_ENTRIES = 1_600;
/** Least index entries of one queue, if there are many queues: a read unit, of what waits and of what is dead. */
const MIN_ENTRIES = 50;

/**
 * The number of entries that are read of each of so many queues, of what waits and of what is dead.
 *
 * @param most of all of them together
 */
export function entriesFor(queues: number, most = MAX_ENTRIES): number {
  return Math.max(MIN_ENTRIES, Math.floor(most / 2 / Math.max(1, queues)));
}

/** Facts of a queue that are known before its index is read. */
export interface KnownFacts {
  readonly state: QueueState;
  /** The monitor's reading in the control table, where any service may write. */
  readonly item: Item | undefined;
  /** Shards that the app gives it. More, if the monitor has noted so. Default: as the monitor has noted. */
  readonly shards?: number | undefined;
  /** The retry mode, if no run has noted it yet. Default: as the monitor has noted. */
  readonly retryMode?: RetryMode | undefined;
  /** Its policy. Default: as the monitor has noted. */
  readonly retry?: RetryPolicy | undefined;
}

interface LookDeps {
  readonly store: Pick<OperatorStore, 'pages'>;
  readonly patiently: <Answer>(request: () => Promise<Answer>) => Promise<Answer>;
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  /** Most index entries that are read, of what waits and of what is dead. */
  readonly entries: number;
}

const HOUR_MS = 3_600_000;
/**
 * The longest time that a reading may be ahead of the clock. One further ahead is of another clock, and its age is not
 * known.
 */
const MAX_AHEAD_MS = 5 * 60_000;

/**
 * Reads the beginning of a queue's index. If that is all, it is counted exactly. If there is more, the monitor's count
 * stands for it, with its age, unless it is smaller than what was read, or of another clock or retry mode.
 */
export async function lookAt(
  queue: string,
  { state, item, ...known }: KnownFacts,
  deps: LookDeps,
): Promise<OverviewStats> {
  const reading = parseReading(item);
  const shards = shardsOf(known.shards, reading, deps.now);
  const lanes = lanesToRead(queue, shards, state.busyKeys);
  // Where the shards are not known, most of the lanes that a queue can have are empty.
  const limit = Math.ceil(deps.entries / (shards ?? 1));
  const [living, dead] = await Promise.all([
    beginningOf(lanes, limit, deps),
    beginningOf(lanes.map(deadLane), limit, deps),
  ]);
  const retryMode = retryModeOf(state, known, reading);
  const isByAge = retryMode?.mode === 'progressive';
  const policy = known.retry ?? reading?.retry;
  const tiers = tiersOf(policy);
  const tierEnds = tiers.map(({ untilAge }) => untilAge);
  const seen = await countsOfDueTimes(
    { isByAge, tierEnds },
    { dueTimes: living.dueTimes, dead: dead.dueTimes.length },
    deps.now,
  );
  const turns = policy ? tiers : [];
  const dueTimes = isByAge ? living.dueTimes.map((at) => turnOf(at, turns, deps.now)) : living.dueTimes;
  const times = {
    lastDueAt: living.more ? undefined : lastOf(dueTimes),
    firstDeadAt: [...dead.dueTimes].sort()[0],
    lastDeadAt: dead.more ? undefined : lastOf(dead.dueTimes),
  };
  const withCounts = (counts: QueueCounts, how: Pick<OverviewStats, 'counted' | 'countedAt'>) => ({
    ...withState(queue, { ...state, retryMode }, counts, deps.now),
    inRetry: inRetryOf(reading, counts, deps.now),
    ...times,
    lanes,
    beginnings: new Map([...living.beginnings, ...dead.beginnings]),
    busyKeys: parseBusyKeys(state.busyKeys),
    reading,
    ...how,
  });
  if (!living.more && !dead.more) return withCounts(seen, { counted: 'exact' });
  const noted = reading?.counts;
  const isOutgrown =
    !noted ||
    ageOf(reading, deps.now) < -MAX_AHEAD_MS ||
    // The queue retried in another way then: the parts of these counts have other meanings.
    (noted.ages !== undefined) !== isByAge ||
    (living.more && noted.pending < seen.pending) ||
    (dead.more && noted.dead < seen.dead);
  if (isOutgrown) return withCounts(seen, { counted: 'atLeast' });
  const { oldestDueAt, lagSeconds } = seen;
  const counts = {
    ...(living.more ? { ...noted, oldestDueAt, lagSeconds } : seen),
    dead: dead.more ? noted.dead : seen.dead,
  };
  return withCounts(counts, { counted: 'about', countedAt: reading.at });
}

/** Counts all of a queue's index, in all the lanes that a queue can have, at a cost that grows with what waits. */
export async function countAll(
  queue: string,
  { state, item, ...known }: KnownFacts,
  deps: LookDeps,
): Promise<OverviewStats> {
  const reading = parseReading(item);
  const retryMode = retryModeOf(state, known, reading);
  const stats = await statsOf(queue, { ...state, retryMode }, deps.now, deps);
  const inRetry = inRetryOf(reading, stats, deps.now);
  const busyKeys = parseBusyKeys(state.busyKeys);
  return { ...stats, inRetry, lanes: lanesOf(queue), busyKeys, reading, counted: 'exact' };
}

/** The retry mode that a run has noted, or else the one that its function or the monitor says. */
function retryModeOf(
  state: QueueState,
  known: Pick<KnownFacts, 'retryMode'>,
  reading: Reading | undefined,
): QueueState['retryMode'] {
  const mode = known.retryMode ?? reading?.retryMode;
  return state.retryMode ?? (mode && { mode, since: 0 });
}

/** The monitor's number of waiting records that have failed, of which some may have succeeded since. */
function inRetryOf(reading: Reading | undefined, { pending }: QueueCounts, now: number): number | undefined {
  if (reading?.inRetry === undefined || !isPresent(reading, now)) return undefined;
  return Math.min(reading.inRetry, pending);
}

/**
 * The number of lanes that may hold its records; undefined: all that a queue can have. An old reading does not count:
 * the monitor may have stopped, and the queue may have more shards since.
 */
function shardsOf(own: number | undefined, reading: Reading | undefined, now: number): number | undefined {
  if (!reading || !isPresent(reading, now)) return own;
  return Math.max(own ?? 1, reading.shards);
}

/** Tells whether a reading is recent enough. The monitor repeats a count after a hundredth of a second for each record. */
function isPresent(reading: Reading, now: number): boolean {
  const { pending, dead } = reading.counts;
  const age = ageOf(reading, now);
  return age >= -MAX_AHEAD_MS && age <= HOUR_MS + 2 * 10 * (pending + dead);
}

function ageOf({ at }: Reading, now: number): number {
  return now - Date.parse(at);
}

/** The last of some times of the same form. */
function lastOf(times: readonly string[]): string | undefined {
  return times.reduce((one, other) => (one > other ? one : other), '') || undefined;
}

/** The latest time at which the rule of its tier comes to a record. @param dueAt its insertion, or the end of its delay */
function turnOf(dueAt: string, tiers: readonly Tier<number>[], now: number): string {
  const begin = Math.max(now, Date.parse(dueAt));
  const ageSeconds = (now - Date.parse(dueAt)) / 1000;
  const tier = tiers.find(({ untilAge }) => ageSeconds < untilAge) ?? tiers.at(-1);
  return Number.isNaN(begin) || !tier ? '' : toIso(begin + tier.every * 1000);
}

/** The first due times of each lane, at most `limit` of each. */
async function beginningOf(lanes: readonly string[], limit: number, { store, patiently }: LookDeps) {
  const pages = await Promise.all(
    lanes.map(async (lane) => {
      const query = { lane, until: LAST_TIME, order: 'oldestFirst', limit } as const;
      return { lane, ...(await patiently(() => store.pages.query(query))) };
    }),
  );
  return {
    beginnings: pages.map(({ lane, keys, more }) => [lane, { entries: keys.length, more }] as const),
    dueTimes: pages.flatMap(({ keys }) => keys.map(({ dueAt }) => dueAt)),
    more: pages.some(({ more }) => more),
  };
}
