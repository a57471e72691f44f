import { type Clock, toIso } from '../clock.js';
import { type Counts, countRecords, type GaugeDeps, type MonitoredQueue } from './gauges.js';

/** Counts, and their age. */
export interface PacedCount extends Counts {
  /** When the records were counted, if that was at an earlier reading; ISO-8601. */
  readonly countedAt?: string | undefined;
}

interface LastCount {
  readonly counts: Counts;
  /** The backlog's time. */
  readonly at: number;
  /** Real time. */
  readonly repeatAt: number;
}

/** Entries of the index that one read unit pays for, about. */
const ENTRIES_PER_READ_UNIT = 100;

/**
 * Counts the records of queues. A count is repeated after as many seconds as it took read units. So the counts of a
 * queue cost one read unit a second at most, $0.33 a month, however much waits. 100,000 records are counted every 17
 * minutes. In between, the last count is given, with its time.
 */
export class PacedCounts {
  private readonly last = new Map<string, LastCount>();

  constructor(private readonly clock: Clock) {}

  /** Empty: there was no time to count all. */
  async of(queue: MonitoredQueue, deps: GaugeDeps, hasTime: () => boolean): Promise<Partial<PacedCount>> {
    const last = this.last.get(queue.name);
    if (last && this.clock.wall() < last.repeatAt) return { ...last.counts, countedAt: toIso(last.at) };
    const counts = await countRecords(queue, deps, hasTime);
    if (!counts) return {};
    const pauseMs = ((counts.waiting + counts.dead) / ENTRIES_PER_READ_UNIT) * 1000;
    this.last.set(queue.name, { counts, at: deps.now, repeatAt: this.clock.wall() + pauseMs });
    return counts;
  }
}
