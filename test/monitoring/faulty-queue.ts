import '../loaded-limits.js';
import { runMetrics } from '../../functions/metrics.js';
import { lookAtQueue, monitoredQueue, RateLimitedCounter } from '../../src/monitor/index.js';
import { caughtUpBy, resolvePolicy, tierBands } from '../../src/policies/index.js';
import { Dead } from '../../src/record/index.js';
import { MemoryStore } from '../../src/store/index.js';
import { toIso } from '../../src/support/clock.js';
import { VirtualTime } from '../../src/support/virtual-time.js';
import {
  type FailingMemory,
  type Process,
  QUEUE_DEFAULTS,
  type RunTarget,
  run,
} from '../../src/worker/index.js';
import type { MetricData, MetricId } from '../../tools/src/cloudwatch/metric-data.js';
import { chance, seededRandom } from '../simulation/random.js';
import { settled } from '../simulation/settled.js';
import { endingOf, type Fault, isOfOne } from './random-fault.js';

export const START = Date.parse('2026-03-01T12:00:00.000Z');
export const MINUTE = 60_000;
export const QUEUE = 'orders';
const TIMEOUT_SECONDS = 300;
const MONITOR_MS = 5 * MINUTE;
/** The monitor has just read when the fault begins: the worst time. */
const FAULT_AT = START + 10.2 * MINUTE;
/** The share of invocations for which Lambda makes a new process. */
const NEW_PROCESS = 0.003;
const BATCHES_PER_MINUTE = 12;
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** A time in which the fault lasts. */
export interface Outage {
  readonly begunAt: number;
  readonly endedAt: number;
  /** The time at which the third record that the fault befalls had failed in it. */
  thirdFailedAt?: number;
  readonly failed: Set<string>;
}

/**
 * A queue that a fault befalls: its runs are the library's own, on a store in memory and on virtual time, and so is the monitor's
 * reading. What both measure is `FailingSeconds`.
 */
export class FaultyQueue {
  /** One, or two with a time between them in which all works. */
  readonly outages: readonly Outage[];
  /** The times at which a record that the fault befalls succeeded, from the beginning of the fault on. */
  readonly successes: number[] = [];
  private readonly time = new VirtualTime(START, settled);
  private readonly clock = this.time.clock();
  private readonly store = new MemoryStore({ clock: this.clock });
  private readonly random;
  private readonly policy;
  private readonly bands;
  private memory: FailingMemory = new Map();
  private puts = 0;
  /** Records are noted to fail, so that a run may probe one. */
  private hasNotes = false;

  constructor(
    private readonly fault: Fault,
    seed: number,
    private readonly data: MetricData,
    private readonly metric: MetricId,
  ) {
    const { back, minutes } = fault;
    const parts = back ? [[0, back.from] as const, [back.until, minutes] as const] : [[0, minutes] as const];
    this.outages = parts.map(([from, until]) => {
      return { begunAt: FAULT_AT + from * MINUTE, endedAt: FAULT_AT + until * MINUTE, failed: new Set() };
    });
    this.random = seededRandom(seed);
    this.policy = resolvePolicy(fault.policy);
    const { tiers } = this.policy;
    this.bands = fault.policy.type === 'progressive' && tiers ? tierBands(tiers, TIMEOUT_SECONDS) : [];
    for (const [every, target] of this.rules())
      this.every(every, every, () => {
        if (this.hasWork()) void this.run(target);
      });
    if (fault.kind !== 'all, without a monitor') this.every(MONITOR_MS, MONITOR_MS, () => this.look());
    if (fault.perMinute > 0) this.comeIn();
    this.time.after(FAULT_AT - START, () => {
      for (let i = 0; i < fault.burst; i++) this.put(true);
    });
  }

  get now(): number {
    return this.time.now;
  }

  get endedAt(): number {
    return FAULT_AT + this.fault.minutes * MINUTE;
  }

  /** The time of the first success after an outage, the last one unless it is given. Undefined: there was none yet. */
  backAt(endedAt = this.endedAt): number | undefined {
    return this.successes.find((at) => at >= endedAt);
  }

  /** No record is left that an attempt could be made of. */
  get isOver(): boolean {
    return this.fault.perMinute === 0 && this.store.earliestDue(QUEUE) === undefined;
  }

  live(minutes: number): Promise<void> {
    return this.time.runUntil(this.now + minutes * MINUTE);
  }

  private rules(): [number, Partial<RunTarget>][] {
    if (this.bands.length === 0) return [[MINUTE, {}]];
    return this.bands.map((band) => [band.every * 1000, { band, catchUp: caughtUpBy(band, this.bands) }]);
  }

  private every(milliseconds: number, first: number, action: () => void): void {
    this.time.after(first, () => {
      this.every(milliseconds, milliseconds, action);
      action();
    });
  }

  /** Records come in at random, and are attempted at once; many of them in batches. */
  private comeIn(): void {
    const { perMinute } = this.fault;
    const size = Math.ceil(perMinute / BATCHES_PER_MINUTE);
    this.time.after((-Math.log(1 - this.random()) * MINUTE * size) / perMinute, () => {
      const ids = Array.from({ length: size }, () => this.put(false));
      void this.run({ arrivals: { batch: ids[0] ?? '', ids } });
      this.comeIn();
    });
  }

  private put(isIndexed: boolean): string {
    const id = `r${this.puts++}`;
    const insertedAt = toIso(this.now);
    const place = isIndexed ? { lane: QUEUE, dueAt: insertedAt, rev: 'inserted' } : {};
    this.store.put({ id, status: 'NEW', queue: QUEUE, payload: {}, insertedAt, ...place });
    return id;
  }

  /** Tells whether a run would look further than at its first page, which takes half of the time of a quiet day. */
  private hasWork(): boolean {
    const dueAt = this.store.earliestDue(QUEUE);
    return dueAt !== undefined && (this.hasNotes || Date.parse(dueAt) <= this.now);
  }

  private async run(target: Partial<RunTarget>): Promise<void> {
    const { clock, store, random, policy, fault, bands } = this;
    if (chance(random, NEW_PROCESS)) this.memory = new Map();
    const retryMode = bands.length > 0 ? 'progressive' : 'perRecord';
    const summary = await run(
      {
        target: { queue: QUEUE, lane: QUEUE, retryMode, firstBand: bands[0], ...target },
        process: this.attempt,
        destination: fault.destinations > 0 ? ({ id }) => `d${this.destinationOf(id)}` : undefined,
        policy,
        limits: { ...QUEUE_DEFAULTS },
        deadline: clock.wall() + TIMEOUT_SECONDS * 1000,
        functionTimeoutSeconds: TIMEOUT_SECONDS,
        tickSeconds: target.band?.every ?? 60,
      },
      { store, clock, random, logger: SILENT, failingMemory: this.memory },
    );
    this.hasNotes = (await store.queues.read(QUEUE)).failing !== undefined;
    this.measure(runMetrics(summary).seconds[this.metric.name]);
  }

  private readonly attempt: Process = async ({ id }, { signal }) => {
    const { fault, random } = this;
    const outage = this.outages.find(({ begunAt, endedAt }) => this.now >= begunAt && this.now < endedAt);
    const isBefallen = !isOfOne(fault) || this.destinationOf(id) === 0;
    const isPoison = fault.poison > 0 && seededRandom(Number(id.slice(1)))() < fault.poison;
    const noise = isPoison || chance(random, fault.noise) ? 'fails' : 'works';
    const ending = endingOf(fault, outage !== undefined && isBefallen, random);
    if (outage && isBefallen && ending !== 'works' && outage.failed.add(id).size === 3)
      outage.thirdFailedAt ??= this.now;
    if (ending === 'dies') throw new Dead('HTTP 400');
    if (ending === 'hangs') await this.clock.sleep(TIMEOUT_SECONDS * 1000, signal);
    if (ending !== 'works' || noise === 'fails') throw DOWN;
    if (isBefallen && this.now >= FAULT_AT) this.successes.push(this.now);
  };

  private destinationOf(id: string): number {
    return Number(id.slice(1)) % Math.max(1, this.fault.destinations);
  }

  private readonly counter = new RateLimitedCounter(this.clock);

  /** The monitor reads the queue. */
  private async look(): Promise<void> {
    const { store, now } = this;
    const retryMode = this.bands.length > 0 ? 'progressive' : 'perRecord';
    const queue = monitoredQueue(QUEUE, { retryMode, retry: this.fault.policy }, TIMEOUT_SECONDS);
    const count = () => this.counter.count(queue, { store, now }, () => true);
    this.measure((await lookAtQueue(queue, { store, now, count, isPassive: false })).failingSeconds);
  }

  private measure(failingSeconds: number | undefined): void {
    if (failingSeconds !== undefined) this.data.put({ ...this.metric, value: failingSeconds, at: this.now });
  }
}

// Made once: the stack of an error takes longer than the rest of an attempt.
const DOWN = new TypeError('the destination is down');
