import type { QueueCounts } from '../operate/queue-stats.js';
import { countsOf, lanesInUse, type StatsDeps } from '../operate/stats.js';
import { lanesToRead } from '../record/busy-keys.js';
import { deadLane, lanesOf } from '../record/index.js';
import type { OverviewStore } from '../store/operator-store.js';
import { type Clock, toIso } from '../support/clock.js';
import type { GaugeDeps, MonitoredQueue } from './gauges.js';
import { inRetry } from './in-retry.js';

/** Counts, and the time at which they were made. */
export interface RateLimitedCounts {
  readonly counts: QueueCounts;
  /** Estimate of the waiting records that have failed. The index does not tell, so a few records are looked at. */
  readonly inRetry: number;
  /** Lanes that were counted: those of its shards, and those up to the last one that still holds records. */
  readonly lanes: number;
  /** The backlog's time, ISO-8601. */
  readonly at: string;
  /** The counts were made at an earlier reading. */
  readonly isOld: boolean;
}

interface CountDeps extends StatsDeps {
  readonly store: StatsDeps['store'] & Pick<OverviewStore, 'records'>;
}

interface LastCounts extends Omit<RateLimitedCounts, 'isOld'> {
  /** Real time at which the count is repeated, epoch milliseconds. */
  readonly repeatAt: number;
}

/** Entries of the index that one read unit pays for, about. */
const ENTRIES_PER_READ_UNIT = 100;
/** Time between two looks into a queue's earlier lanes: 31 read units for a queue of one shard. */
const EARLIER_LANES_EVERY_MS = 3_600_000;

/**
 * Counts the records of queues: each index entry once. A count is repeated after as many seconds as it took read units.
 * So the counts of a queue cost one read unit a second at most, $0.33 a month, however much waits. 100,000 records are
 * counted every 17 minutes. In between, the last count is given, with its time.
 */
export class RateLimitedCounter {
  private readonly last = new Map<string, LastCounts>();
  private readonly lanes = new Map<string, { readonly count: number; readonly repeatAt: number }>();

  constructor(private readonly clock: Clock) {}

  /**
   * @param hasTime false: there is no time for another page
   * @returns undefined: there was no time to count all
   */
  async count(
    monitored: MonitoredQueue,
    { store, now }: GaugeDeps,
    hasTime: () => boolean,
  ): Promise<RateLimitedCounts | undefined> {
    const { name } = monitored;
    const last = this.last.get(name);
    if (last && this.clock.wall() < last.repeatAt) {
      const { repeatAt: _, ...counted } = last;
      return { ...counted, isOld: true };
    }
    const patiently = async <Answer>(request: () => Promise<Answer>) => {
      if (!hasTime()) throw new OutOfTime();
      return request();
    };
    const found = await this.countNow(monitored, now, { store, patiently }).catch((error) => {
      if (!(error instanceof OutOfTime)) throw error;
      return undefined;
    });
    if (!found) return undefined;
    const { pending, dead } = found.counts;
    // In the backlog's time: on a faster clock, which bills nothing, counts would be hours old.
    const pauseMs = ((pending + dead) / ENTRIES_PER_READ_UNIT) * (1000 / (this.clock.speed ?? 1));
    this.last.set(name, { ...found, repeatAt: this.clock.wall() + pauseMs });
    return { ...found, isOld: false };
  }

  private async countNow(monitored: MonitoredQueue, now: number, deps: CountDeps) {
    const lanes = await this.lanesOf(monitored, deps);
    const queue = {
      lanes: lanesToRead(monitored.name, lanes, monitored.busyKeys),
      isByAge: monitored.bands.length > 0,
      tierEnds: monitored.bands.map(({ untilAge }) => untilAge),
    };
    const counts = await countsOf(queue, now, deps);
    const { store, patiently } = deps;
    const failed =
      counts.pending === 0 ? 0 : await patiently(() => inRetry(queue.lanes, counts, { store, now }));
    return { counts, inRetry: failed, lanes, at: toIso(now) };
  }

  /**
   * The number of shards may have been higher: waiting records stay in such a lane until a run reads it, and dead
   * ones stay there.
   */
  private async lanesOf({ name, shards }: MonitoredQueue, deps: StatsDeps): Promise<number> {
    const known = this.lanes.get(name);
    if (known && this.clock.wall() < known.repeatAt) return known.count;
    const previous = lanesOf(name, shards);
    const inUse = await lanesInUse([...previous, ...previous.map(deadLane)], deps);
    const last = previous.findLastIndex((lane) => inUse.has(lane) || inUse.has(deadLane(lane)));
    const count = shards + last + 1;
    this.lanes.set(name, { count, repeatAt: this.clock.wall() + EARLIER_LANES_EVERY_MS });
    return count;
  }
}

class OutOfTime extends Error {}
