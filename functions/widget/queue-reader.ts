import type { Clock } from '../../src/clock.js';
import { isExpired } from '../../src/leases/lease.js';
import { type QueueStats, statsOf } from '../../src/operate/stats.js';
import type { LeaseState, OperatorStore, QueueState } from '../../src/store/index.js';
import type { WidgetQueue } from './settings.js';

/** A queue as it was read. */
export interface QueueReading {
  readonly stats: QueueStats;
  readonly state: QueueState;
  /** Those that are held, by key. */
  readonly leases: ReadonlyMap<string, LeaseState>;
  /** When its records were counted; the backlog's time. */
  readonly countedAt: number;
  /** There were more of them than could be counted in time. */
  readonly isAtLeast: boolean;
}

/** Entries of the index that one read unit pays for, about. */
const ENTRIES_PER_READ_UNIT = 100;
/** As in the console: counts that cost much are shown for longer. */
const MOST_UNITS_PER_SECOND = 20;

type Counted = Pick<QueueReading, 'stats' | 'countedAt' | 'isAtLeast'>;

/**
 * Reads queues for those who look at the dashboard. Each entry of the index is counted once, about 100 per read unit,
 * and the counts of a large queue are held. So looking costs at most 20 read units a second per queue, however much waits
 * and however often the dashboard is refreshed. Whether a queue is paused is always read.
 */
export class QueueReader {
  private readonly held = new Map<string, Counted & { readonly until: number }>();

  constructor(
    private readonly store: Pick<OperatorStore, 'readQueue' | 'readLease' | 'queryDue' | 'countDue'>,
    private readonly clock: Clock,
  ) {}

  /** @param hasTime false: there is no time to count another page */
  async read(queue: WidgetQueue, hasTime: () => boolean): Promise<QueueReading> {
    const state = await this.store.readQueue(queue.name);
    const { stats, ...counted } = await this.count(queue, state, hasTime);
    const { paused, pausedAt, breakers } = state;
    const { pausedAt: _, ...others } = stats;
    const present = { paused, ...(pausedAt === undefined ? {} : { pausedAt }), openBreakers: breakers.size };
    const leases = stats.pending > 0 ? await this.leasesOf(queue) : new Map();
    return { stats: { ...others, ...present }, state, leases, ...counted };
  }

  private async count(queue: WidgetQueue, state: QueueState, hasTime: () => boolean): Promise<Counted> {
    const held = this.held.get(queue.name);
    if (held && this.clock.wall() < held.until) return held;
    let isAtLeast = false;
    const countDue: OperatorStore['countDue'] = async (query) => {
      if (hasTime()) return this.store.countDue(query);
      isAtLeast = true;
      return { count: 0, next: undefined };
    };
    const store = { countDue, queryDue: this.store.queryDue.bind(this.store) };
    const countedAt = this.clock.now();
    // Before its first run, only the app says how it retries.
    const known = { ...state, retryMode: state.retryMode ?? { mode: queue.retryMode, since: 0 } };
    const deps = { store, patiently: <Answer>(request: () => Promise<Answer>) => request() };
    const stats = await statsOf(queue.name, known, countedAt, deps, queue.lanes);
    const seconds = (stats.pending + stats.dead) / ENTRIES_PER_READ_UNIT / MOST_UNITS_PER_SECOND;
    const counted = { stats, countedAt, isAtLeast };
    this.held.set(queue.name, { ...counted, until: this.clock.wall() + seconds * 1000 });
    return counted;
  }

  private async leasesOf({ leases }: WidgetQueue): Promise<ReadonlyMap<string, LeaseState>> {
    const found = await Promise.all(
      leases.map(async (key) => [key, await this.store.readLease(key)] as const),
    );
    return new Map(
      found.flatMap(([key, lease]) =>
        lease && !isExpired(lease, this.clock) ? [[key, lease] as const] : [],
      ),
    );
  }
}
