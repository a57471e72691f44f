import { parseReading, type Reading } from '../../monitor/index.js';
import { countsOfDueTimes, type QueueCounts, type QueueStats, withState } from '../../operate/queue-stats.js';
import type { RetryPolicy } from '../../policies/index.js';
import { deadLane, type Item, lanesOf, type RetryMode } from '../../record/index.js';
import type { OperatorStore } from '../../store/operator-store.js';
import type { QueueState } from '../../store/store.js';
import { LAST_TIME } from '../../support/clock.js';
import { tiersOf } from './tiers-of.js';

/** How a queue is doing, as far as a look tells that costs the same however much waits. */
export interface OverviewStats extends QueueStats {
  /**
   * What the counts of records are. `exact`: as the index has them now. `about`: the monitor's, from `countedAt`.
   * `atLeast`: there are more, and no monitor has counted them. Due times and what the control table says are exact.
   */
  readonly counted: 'exact' | 'about' | 'atLeast';
  /** The backlog's time of the monitor's count, ISO-8601. */
  readonly countedAt?: string | undefined;
  /** The lanes that its living records may be in: those of its shards, or all that a queue can have. */
  readonly lanes: readonly string[];
  /** About how many of those that wait have failed, by the monitor. Undefined: no monitor has noted it. */
  readonly inRetry?: number | undefined;
  /** What the monitor has noted. */
  readonly reading: Reading | undefined;
}

/**
 * So many index entries are read for a look at all queues: 80 to 150 of them are a read unit. A view that looks at the
 * queues, and reads something itself, stays below 50 read units.
 */
const MOST_ENTRIES = 1_600;
/** Of one queue, if there are many: a read unit, of what waits and of what is dead. */
const LEAST_ENTRIES = 50;

/**
 * How many entries are read of each of so many queues, of what waits and of what is dead.
 *
 * @param most of all of them together
 */
export function entriesFor(queues: number, most = MOST_ENTRIES): number {
  return Math.max(LEAST_ENTRIES, Math.floor(most / 2 / Math.max(1, queues)));
}

/** What is known of a queue before its index is read. */
export interface KnownFacts {
  readonly state: QueueState;
  /** What the monitor has noted of it in the control table, where any service may write. */
  readonly item: Item | undefined;
  /** Those that the app gives it. More, if the monitor has noted so. Default: as the monitor has noted. */
  readonly shards?: number | undefined;
  /** How it retries, if no run has noted it yet. Default: as the monitor has noted. */
  readonly retryMode?: RetryMode | undefined;
  /** Its policy. Default: as the monitor has noted. */
  readonly retry?: RetryPolicy | undefined;
}

interface LookDeps {
  readonly store: Pick<OperatorStore, 'queryDue'>;
  readonly patiently: <Answer>(request: () => Promise<Answer>) => Promise<Answer>;
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  /** So many index entries are read at most, of what waits and of what is dead. */
  readonly entries: number;
}

const HOUR_MS = 3_600_000;
/** A reading that is further ahead of the clock is of another clock, and its age is not known. */
const MOST_AHEAD_MS = 5 * 60_000;

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
  const lanes = lanesOf(queue, 0, shards);
  // Where the shards are not known, most of the lanes that a queue can have are empty.
  const limit = Math.ceil(deps.entries / (shards ?? 1));
  const [living, dead] = await Promise.all([
    beginningOf(lanes, limit, deps),
    beginningOf(lanes.map(deadLane), limit, deps),
  ]);
  const mode = known.retryMode ?? reading?.retryMode;
  const retryMode = state.retryMode ?? (mode && { mode, since: 0 });
  const isByAge = retryMode?.mode === 'progressive';
  const tierEnds = tiersOf(known.retry ?? reading?.retry).map(({ untilAge }) => untilAge);
  const seen = await countsOfDueTimes(
    { isByAge, tierEnds },
    { dueTimes: living.dueTimes, dead: dead.dueTimes.length },
    deps.now,
  );
  const inRetry = reading && isPresent(reading, deps.now) ? reading.inRetry : undefined;
  const withCounts = (counts: QueueCounts, how: Pick<OverviewStats, 'counted' | 'countedAt'>) => ({
    ...withState(queue, { ...state, retryMode }, counts),
    // Some of them may have succeeded since.
    inRetry: inRetry === undefined ? undefined : Math.min(inRetry, counts.pending),
    lanes,
    reading,
    ...how,
  });
  if (!living.more && !dead.more) return withCounts(seen, { counted: 'exact' });
  const noted = reading?.counts;
  const isOutgrown =
    !noted ||
    ageOf(reading, deps.now) < -MOST_AHEAD_MS ||
    // It retried in another way then: the parts of these counts have other meanings.
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

/**
 * How many lanes may hold its records; undefined: all that a queue can have. What an old reading says does not count: the
 * monitor may have stopped, and the queue may have more shards since.
 */
function shardsOf(own: number | undefined, reading: Reading | undefined, now: number): number | undefined {
  if (!reading || !isPresent(reading, now)) return own;
  return Math.max(own ?? 1, reading.shards);
}

/** The monitor repeats a count after a hundredth of a second for each record. */
function isPresent(reading: Reading, now: number): boolean {
  const { pending, dead } = reading.counts;
  const age = ageOf(reading, now);
  return age >= -MOST_AHEAD_MS && age <= HOUR_MS + 2 * 10 * (pending + dead);
}

function ageOf({ at }: Reading, now: number): number {
  return now - Date.parse(at);
}

/** The first due times of each lane, so many of each. */
async function beginningOf(lanes: readonly string[], limit: number, { store, patiently }: LookDeps) {
  const pages = await Promise.all(
    lanes.map((lane) =>
      patiently(() => store.queryDue({ lane, until: LAST_TIME, order: 'oldestFirst', limit })),
    ),
  );
  return {
    dueTimes: pages.flatMap(({ keys }) => keys.map(({ dueAt }) => dueAt)),
    more: pages.some(({ more }) => more),
  };
}
