import '../loaded-limits.js';
// The store loads it when it writes two records at once: virtual time would not wait for that.
import '../../src/store/dynamodb/group-writes.js';
import { BacklogOperator } from '../../src/operate/index.js';
import { resolvePolicy, type TierBand } from '../../src/policies/index.js';
import type { Item } from '../../src/record/index.js';
import type { OperatorStore } from '../../src/store/index.js';
import { VirtualTime } from '../../src/support/virtual-time.js';
import { type HistoryOptions, historyLimits, type Process, run } from '../../src/worker/index.js';
import { seededRandom } from '../simulation/random.js';
import { interrupted } from './support.js';

const START = Date.parse('2026-03-01T00:00:00.000Z');
export const TIERS: TierBand[] = [
  { number: 1, every: 300, fromAge: 0, untilAge: 86_400, last: false },
  { number: 2, every: 3600, fromAge: 86_700, untilAge: 1e9, last: true },
];

export interface RaceStore {
  readonly store: OperatorStore;
  put(item: Item): Promise<void>;
  raw(id: string): Promise<Item | undefined>;
  /** Settles when all work on the store waits for something else. */
  quiet(): Promise<void>;
}

let worlds = 0;

/** A queue of its own for each test: one store serves them all. */
export class World {
  readonly time: VirtualTime;
  readonly clock;
  readonly queue = `race-${worlds++}`;
  readonly elsewhere = `${this.queue}-elsewhere`;
  readonly attempts: string[] = [];
  private broken: Error | undefined;
  readonly underway = new Map<string, number>();

  constructor(private readonly races: RaceStore) {
    this.time = new VirtualTime(START, () => races.quiet());
    this.clock = this.time.clock();
  }

  /** Lets time pass until that has happened. What an attempt finds wrong is no failure of the record's. */
  async play(scene: () => Promise<void>): Promise<void> {
    await this.time.until(scene());
    if (this.broken) throw this.broken;
  }

  iso(seconds = 0): string {
    return new Date(this.time.now + seconds * 1000).toISOString();
  }

  id(name = 'r'): string {
    return `${this.queue} ${name}`;
  }

  async put(attributes: Record<string, unknown> = {}, name = 'r'): Promise<void> {
    const item = {
      id: this.id(name),
      status: 'NEW',
      queue: this.queue,
      payload: { n: 1 },
      insertedAt: this.iso(-60),
      lane: this.queue,
      dueAt: this.iso(-60),
      rev: 'put',
      ...attributes,
    };
    await this.races.put(Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)));
  }

  async item(name = 'r'): Promise<Item> {
    return (await this.races.raw(this.id(name))) ?? {};
  }

  leases() {
    return this.races.store.leases.readAll();
  }

  operator(store: OperatorStore = this.races.store): BacklogOperator {
    const random = seededRandom(worlds * 1000 + this.attempts.length);
    return new BacklogOperator({
      table: 'records',
      controlTable: 'control',
      clock: this.clock,
      random,
      store,
    });
  }

  /** A run's store in which operators come in between. */
  between(before: Parameters<typeof interrupted>[1]): OperatorStore {
    return interrupted(this.races.store, before);
  }

  run(process: Process = () => {}, options: Run = {}) {
    const { queue = this.queue, band, arrivals, store = this.races.store } = options;
    const { concurrency = 10, attemptTimeout = 30, history } = options;
    return run(
      {
        target: {
          queue,
          lane: queue,
          band,
          ...(arrivals ? { arrivals: { batch: 'b', ids: arrivals } } : {}),
        },
        process: async (record, context) => {
          this.attempts.push(queue);
          // Never twice at the same time.
          const underway = (this.underway.get(record.id) ?? 0) + 1;
          this.underway.set(record.id, underway);
          if (underway > 1) this.broken ??= new Error(`two attempts of ${record.id} at once`);
          try {
            return await process(record, context);
          } catch (error) {
            if (error instanceof Error && error.name === 'AssertionError') this.broken ??= error;
            throw error;
          } finally {
            this.underway.set(record.id, underway - 1);
          }
        },
        policy: resolvePolicy(band ? { type: 'progressive' } : { type: 'constant', interval: 60 }),
        limits: { concurrency, attemptTimeout },
        ...(history && { history: historyLimits(history) }),
        deadline: this.clock.wall() + 300_000,
        functionTimeoutSeconds: 300,
        tickSeconds: 60,
      },
      {
        store,
        clock: this.clock,
        random: seededRandom(++worlds),
        logger: { debug() {}, info() {}, warn() {}, error() {} },
      },
    );
  }
}

interface Run {
  readonly queue?: string;
  readonly band?: TierBand | undefined;
  readonly arrivals?: readonly string[];
  readonly store?: OperatorStore;
  readonly history?: HistoryOptions;
  readonly concurrency?: number;
  readonly attemptTimeout?: number;
}

/** A scene in a world of its own. */
export const sceneIn = (current: () => RaceStore) => (act: (its: World) => Promise<void>) => async () => {
  const its = new World(current());
  await its.play(() => act(its));
};
