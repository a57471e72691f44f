import { isExpired } from '../../leases/lease.js';
import { BacklogOperator, type Stats } from '../../operate/index.js';
import { Tables } from '../../operate/tables.js';
import type { LeaseState, QueueState } from '../../store/store.js';
import type { OverviewDeps } from './deps.js';

/** Counts of all queues, as they were read at one time. */
export interface Counts {
  readonly stats: Stats;
  /** Live leases by key: a queue, one of its lanes, or one of its tiers. */
  readonly leases: ReadonlyMap<string, LeaseState>;
  /** The items of the queues in the control table. */
  readonly states: ReadonlyMap<string, QueueState>;
  /** Real time, epoch milliseconds. */
  readonly readAt: number;
  /** What they have cost. */
  readonly readUnits: number;
}

/** The newest counts, and why there are no newer ones. */
export interface LatestCounts {
  /** Undefined: they could never be read. */
  readonly counts: Counts | undefined;
  /** Of the last read, if it failed. */
  readonly error: unknown;
}

const DEFAULT_MS = 5_000;
/** Counting takes at most this share of the time: the more records there are, the less often they are counted. */
const MAX_SHARE = 0.05;
/** One slow count, such as the first one of a busy machine, must not hide an outage for long. */
const MOST_HELD_MS = 15_000;
/** In AWS each count is billed: on average no more read units than this are spent in a second. */
const MOST_UNITS_PER_SECOND = 20;
/** A count that takes longer than this is not waited for, if there is an earlier one. */
const LONG_MS = 300;

/**
 * Reads the counts of all queues when a page asks for them, and hands out the same ones for some seconds: ten browsers
 * cost as much as one. Requests at the same time share one read.
 */
export class CountsReader {
  private readonly operator: BacklogOperator;
  private readonly tables: Tables;
  private latest: LatestCounts = { counts: undefined, error: undefined };
  private triedAt = Number.NEGATIVE_INFINITY;
  private tookMs = 0;
  private reading: Promise<LatestCounts> | undefined;

  /** @param patience default: what DynamoDB throttles or does not answer is repeated for half a minute; aborted: never */
  constructor(
    private readonly deps: OverviewDeps,
    private readonly patience?: AbortSignal,
  ) {
    this.operator = new BacklogOperator(deps.backlog);
    this.tables = new Tables(deps.backlog);
  }

  /** Never throws: a page shows what is known, and what went wrong. */
  async read(): Promise<LatestCounts> {
    const age = this.tables.clock.wall() - this.triedAt;
    if (age >= 0 && age < this.holdMs()) return this.latest;
    this.reading ??= this.readNow().finally(() => {
      this.reading = undefined;
    });
    const isShown = this.latest.counts !== undefined && this.triedAt > Number.NEGATIVE_INFINITY;
    return isShown && this.tookMs > LONG_MS ? this.latest : this.reading;
  }

  /** How long the counts are shown: longer, if they have cost much. An error is not, however long it took. */
  private holdMs(): number {
    const least = this.deps.countsForMs ?? DEFAULT_MS;
    if (this.latest.error !== undefined) return least;
    const units = this.deps.runtime ? 0 : (this.latest.counts?.readUnits ?? 0);
    return Math.max(
      least,
      Math.min(this.tookMs / MAX_SHARE, MOST_HELD_MS),
      (1000 * units) / MOST_UNITS_PER_SECOND,
    );
  }

  /** After an action: the next page reads again. */
  forget(): void {
    this.triedAt = Number.NEGATIVE_INFINITY;
  }

  private async readNow(): Promise<LatestCounts> {
    const startedAt = performance.now();
    try {
      const alsoQueues = this.deps.queues?.().map(({ name }) => name);
      const { store, units } = this.tables.open();
      const [stats, all, states] = await Promise.all([
        this.operator.stats({ alsoQueues, signal: this.patience }),
        store.readLeases(),
        store.readQueues(),
      ]);
      const { clock } = this.tables;
      const leases = new Map([...all].filter(([, lease]) => !isExpired(lease, clock)));
      const readUnits = stats.readUnits + units().readUnits;
      this.latest = {
        counts: { stats, leases, states, readAt: clock.wall(), readUnits },
        error: undefined,
      };
    } catch (error) {
      this.latest = { counts: this.latest.counts, error };
    }
    this.triedAt = this.tables.clock.wall();
    this.tookMs = performance.now() - startedAt;
    return this.latest;
  }
}

/** Whether a lease, by its key, is for records of that queue. */
export function isLeaseOfQueue(key: string, queue: string): boolean {
  return key === queue || key.startsWith(`${queue}#`);
}
