import { byExpiry } from '../../src/overview/lost-runs.js';
import { lookAt, type OverviewStats } from '../../src/overview/queue-counts.js';
import type { LeaseState, QueueState } from '../../src/store/index.js';
import type { OverviewStore } from '../../src/store/operator-store.js';
import type { Clock } from '../../src/support/clock.js';
import type { WidgetQueue } from './settings.js';

/** A queue as it was read. */
export interface QueueReading {
  readonly stats: OverviewStats;
  readonly state: QueueState;
  /** The leases that are held, by key. */
  readonly leases: ReadonlyMap<string, LeaseState>;
  /** The leases that have run out, by key. */
  readonly expired: ReadonlyMap<string, LeaseState>;
  /** The latest success of its runs, the backlog's time, epoch milliseconds. Undefined: not known. */
  readonly succeededAt?: number | undefined;
}

interface ReadDeps {
  readonly store: OverviewStore;
  readonly clock: Clock;
  /** Most index entries that are read, of what waits and of what is dead. */
  readonly entries: number;
}

/** Reads one queue for those who look at the dashboard. */
export async function readQueue(
  { name, shards, retryMode, leases: keys }: WidgetQueue,
  { store, clock, entries }: ReadDeps,
): Promise<QueueReading> {
  const [state, item, runs] = await Promise.all([
    store.queues.read(name),
    store.readings.read(name),
    store.control.readRunsOf(name, keys),
  ]);
  const patiently = <Answer>(request: () => Promise<Answer>) => request();
  const look = { store, patiently, now: clock.now(), entries };
  const stats = await lookAt(name, { state, item, shards, retryMode }, look);
  return { stats, state, ...byExpiry(runs.leases, clock), succeededAt: runs.succeededAt };
}
