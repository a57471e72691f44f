import { isPassive } from '../registry/regions.js';
import type { OperatorStore } from '../store/operator-store.js';
import type { Clock } from '../support/clock.js';
import type { AttemptLogger } from '../worker/index.js';
import type { MonitoredQueue } from './gauges.js';
import type { QueueGaugeValues } from './queue-gauges.js';
import { RateLimitedCounter, type RateLimitedCounts } from './rate-limited-counts.js';
import { gaugesOf, lookAtQueue } from './read-queue.js';

/** Time for which a reading is given out: several scrapers cost as much as one. */
const HOLD_MS = 5_000;
/** Longest wait for a new count. Prometheus gives a scrape 10 seconds. */
const COUNT_WITHIN_MS = 3_000;

/** The parts that a `GaugeReader` needs. */
export interface GaugeReaderDeps {
  /** The tables. */
  readonly store: OperatorStore;
  /** The backlog's clock. */
  readonly clock: Clock;
  /** Gets a line for each queue that cannot be read. */
  readonly log: Pick<AttemptLogger, 'warn'>;
  /** Ends counts that are under way. */
  readonly stop: AbortSignal;
  /** Name of the table of records. */
  readonly table: string;
  /** The own region. With the primary one it says whether records are attempted here. Default: not known, so they are. */
  readonly region?: string | undefined;
  /** The region that is active until an operator makes another one so. Default: the backlog is in one region. */
  readonly primaryRegion?: string | undefined;
}

/**
 * Reads the gauges of queues when they are asked for. A large queue is counted in the background, by the rules of the
 * monitor: until its count has ended, the last one is given out, with its age.
 */
export class GaugeReader {
  private readonly counter: RateLimitedCounter;
  private readonly counted = new Map<string, RateLimitedCounts>();
  private readonly counting = new Map<string, Promise<void>>();
  private reading: { readonly at: number; readonly values: Promise<readonly QueueGaugeValues[]> } | undefined;

  constructor(
    private readonly queues: readonly MonitoredQueue[],
    private readonly deps: GaugeReaderDeps,
  ) {
    this.counter = new RateLimitedCounter(deps.clock);
  }

  /**
   * The gauges of all queues. Of a queue that cannot be read, only the age of its last count is known.
   *
   * @throws the error of a queue, if none can be read
   */
  read(): Promise<readonly QueueGaugeValues[]> {
    const at = this.deps.clock.wall();
    const age = at - (this.reading?.at ?? Number.NEGATIVE_INFINITY);
    if (this.reading && age >= 0 && age < HOLD_MS) return this.reading.values;
    const values = this.readNow();
    this.reading = { at, values };
    return values;
  }

  private async readNow(): Promise<readonly QueueGaugeValues[]> {
    const { store, clock, table, log } = this.deps;
    const passive = await isPassive(this.deps, store, clock.now()).catch(() => undefined);
    const settled = await Promise.allSettled(this.queues.map((queue) => this.look(queue, passive)));
    const failed = settled.find((one) => one.status === 'rejected');
    if (failed && settled.every(({ status }) => status === 'rejected')) throw failed.reason;
    return this.queues.map(({ name: queue }, i) => {
      const one = settled[i];
      if (one?.status === 'fulfilled') return { table, queue, values: one.value };
      log.warn('the gauges of a queue could not be read', { queue, error: String(one?.reason) });
      return { table, queue, values: { readingAge: this.ageOfCount(queue) } };
    });
  }

  private async look(queue: MonitoredQueue, passive: boolean | undefined) {
    const { store, clock } = this.deps;
    const now = clock.now();
    const look = await lookAtQueue(queue, {
      store,
      now,
      count: (seen) => this.count(seen),
      isPassive: passive,
    });
    return gaugesOf(look, clock.now());
  }

  /** The newest count, after a short wait for a new one. */
  private async count(queue: MonitoredQueue): Promise<RateLimitedCounts | undefined> {
    const { clock } = this.deps;
    const under = this.counting.get(queue.name) ?? this.startCount(queue);
    const done = new AbortController();
    try {
      await Promise.race([under, clock.sleep(COUNT_WITHIN_MS, done.signal)]);
    } finally {
      done.abort();
    }
    return this.counted.get(queue.name);
  }

  private startCount(queue: MonitoredQueue): Promise<void> {
    const { store, clock, stop } = this.deps;
    const counting = this.counter
      .count(queue, { store, now: clock.now() }, () => !stop.aborted)
      .then((counts) => {
        if (counts) this.counted.set(queue.name, counts);
      })
      .finally(() => this.counting.delete(queue.name));
    // A failure after the wait is over is seen by the next reading, which counts again.
    counting.catch(() => {});
    this.counting.set(queue.name, counting);
    return counting;
  }

  private ageOfCount(queue: string): number | undefined {
    const counted = this.counted.get(queue);
    return counted && Math.max(0, this.deps.clock.now() - Date.parse(counted.at)) / 1000;
  }
}
