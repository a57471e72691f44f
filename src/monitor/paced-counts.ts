import { type Clock, toIso } from '../clock.js';
import type { QueueCounts } from '../operate/queue-stats.js';
import { countsOf } from '../operate/stats.js';
import { lanesOf } from '../record/index.js';
import type { GaugeDeps, MonitoredQueue } from './gauges.js';
import { inRetry } from './in-retry.js';

/** Counts, and when they were made. */
export interface PacedCounts {
  readonly counts: QueueCounts;
  /** About how many of those that wait have failed: the index does not tell, so a few records say it. */
  readonly inRetry: number;
  /** The backlog's time, ISO-8601. */
  readonly at: string;
  /** They were made at an earlier reading. */
  readonly isOld: boolean;
}

interface LastCounts extends Omit<PacedCounts, 'isOld'> {
  /** Real time. */
  readonly repeatAt: number;
}

/** Entries of the index that one read unit pays for, about. */
const ENTRIES_PER_READ_UNIT = 100;

/**
 * Counts the records of queues: each index entry once. A count is repeated after as many seconds as it took read units.
 * So the counts of a queue cost one read unit a second at most, $0.33 a month, however much waits. 100,000 records are
 * counted every 17 minutes. In between, the last count is given, with its time.
 */
export class PacedCounter {
  private readonly last = new Map<string, LastCounts>();

  constructor(private readonly clock: Clock) {}

  /**
   * @param hasTime false: there is no time for another page
   * @returns undefined: there was no time to count all
   */
  async count(
    { name, shards, bands }: MonitoredQueue,
    { store, now }: GaugeDeps,
    hasTime: () => boolean,
  ): Promise<PacedCounts | undefined> {
    const last = this.last.get(name);
    if (last && this.clock.wall() < last.repeatAt) {
      const { repeatAt: _, ...counted } = last;
      return { ...counted, isOld: true };
    }
    const patiently = async <Answer>(request: () => Promise<Answer>) => {
      if (!hasTime()) throw new OutOfTime();
      return request();
    };
    const queue = {
      lanes: lanesOf(name, 0, shards),
      isByAge: bands.length > 0,
      tierEnds: bands.map(({ untilAge }) => untilAge),
    };
    const counts = await countsOf(queue, now, { store, patiently }).catch((error) => {
      if (!(error instanceof OutOfTime)) throw error;
      return undefined;
    });
    if (!counts) return undefined;
    const failed = counts.pending === 0 ? 0 : await inRetry(queue.lanes, counts, { store, now });
    const pauseMs = ((counts.pending + counts.dead) / ENTRIES_PER_READ_UNIT) * 1000;
    const found = { counts, inRetry: failed, at: toIso(now) };
    this.last.set(name, { ...found, repeatAt: this.clock.wall() + pauseMs });
    return { ...found, isOld: false };
  }
}

class OutOfTime extends Error {}
