import type { Tier } from 'dynamo-backlog';
import {
  type BreakerMemory,
  caughtUpBy,
  loadLimits,
  MemoryStore,
  QUEUE_DEFAULTS,
  type ResolvedPolicy,
  type RunTarget,
  run,
  seededRandom,
  tierBands,
  toIso,
  VirtualTime,
} from 'dynamo-backlog/engine';
import type { Process } from 'dynamo-backlog/lambda';
import { AttemptLog, type MinuteOfAttempts } from './attempt-log.js';
import { Destination } from './destination.js';
import { type Arrival, arrivals, failingIds, type Scenario } from './scenario.js';
import { type SimulationResult, summarize } from './simulation-result.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const QUEUE = 'default';
/** The timeout of a function, as the CDK construct has it. */
const FUNCTION_TIMEOUT_SECONDS = 300;
/** Attempts between two reports of progress. */
const PROGRESS_ATTEMPTS = 500;

export interface Simulation {
  readonly result: SimulationResult;
  /** The start of the last successful attempt of a record that had failed before; missing: there was none. */
  readonly lastRecoveryMs: number | undefined;
  /** Attempts per minute. Minutes without one are left out. */
  readonly perMinute: readonly MinuteOfAttempts[];
}

export interface Progress {
  readonly attempts: number;
  readonly succeeded: number;
  /** The part of the scenario's time that has passed. */
  readonly elapsedMs: number;
}

/** The part of a queue that is simulated: when it tries again. */
export interface SimulatedQueue {
  readonly policy: ResolvedPolicy;
  /** Tiers of a progressive queue, whose rules keep the schedule; missing: one rule polls for what is due. */
  readonly tiers?: readonly Tier<number>[] | undefined;
}

/**
 * Runs the library's own run over a store in memory, on virtual time: the rules fire at their times, and runs that take
 * longer than that overlap. The same queue, scenario and seed come to the same figures.
 */
export async function simulate(
  { policy, tiers }: SimulatedQueue,
  scenario: Scenario,
  onProgress: (progress: Progress) => void = () => {},
): Promise<Simulation> {
  await loadLimits();
  const failing = failingIds(scenario);
  const { maxAttempts = Number.POSITIVE_INFINITY } = scenario;
  const limited = { ...policy, maxAttempts: Math.min(policy.maxAttempts, maxAttempts) };
  const world = new World({ policy: limited, tiers }, scenario, failing, onProgress);
  const endedAt = await world.play();
  const result = summarize(world.store.items(), world.log, { startedAt: START, endedAt, failing });
  const { lastRecoveryMs, perMinute } = world.log;
  return { result, lastRecoveryMs, perMinute };
}

class World {
  private readonly time = new VirtualTime(START);
  private readonly clock = this.time.clock();
  readonly store = new MemoryStore({ clock: this.clock });
  readonly log: AttemptLog;
  private readonly destination: Destination;
  private readonly random: () => number;
  private readonly breakers: BreakerMemory = new Map();
  private readonly rules: readonly Rule[];
  private readonly coming: Iterator<Arrival, undefined>;
  private nextArrival: Arrival | undefined;
  private readonly shortWaits = new Set<number>();
  private succeeded = 0;
  private trouble: unknown;

  constructor(
    private readonly queue: SimulatedQueue,
    private readonly scenario: Scenario,
    failing: ReadonlySet<string>,
    private readonly onProgress: (progress: Progress) => void,
  ) {
    this.log = new AttemptLog(queue.policy, START);
    this.rules = rulesOf(queue.tiers, {
      tickSeconds: scenario.tickSeconds,
      functionTimeoutSeconds: FUNCTION_TIMEOUT_SECONDS,
    });
    this.destination = new Destination(scenario, failing);
    this.random = seededRandom(scenario.seed);
    this.coming = arrivals(scenario);
    this.nextArrival = this.coming.next().value;
  }

  /** Plays the scenario until the horizon, or until nothing is left to do. Returns the time of the end. */
  async play(): Promise<number> {
    const horizon = START + this.scenario.horizonMs;
    this.arrive();
    for (let at = START; at < horizon; ) {
      await this.time.runUntil(at);
      if (this.trouble) throw this.trouble;
      // Where nothing comes due before the next tick a run would end at its first look; it is not begun.
      if (this.dueAt() <= at) for (const rule of this.rules) if (isTimeOf(rule, at)) this.fire(rule);
      // A record under attempt is due until it is settled: while a run is at work the rule fires as ever.
      const wanted = Math.max(at + 1, Math.min(this.dueAt(), this.arrivesAt()));
      if (wanted === Number.POSITIVE_INFINITY) return this.time.now;
      at = Math.min(...this.rules.map((rule) => nextTimeOf(rule, wanted)));
    }
    await this.time.runUntil(horizon);
    if (this.trouble) throw this.trouble;
    return horizon;
  }

  /** Settles, and starts a run for each second in which short waits end, as the intake does. */
  private readonly settled: MemoryStore['records']['settle'] = async (record, change, rev) => {
    const answer = await this.store.records.settle(record, change, rev);
    const dueAt = change.set.exact ? Date.parse(change.set.dueAt ?? '') : this.time.now;
    if (dueAt > this.time.now && !this.shortWaits.has(dueAt)) {
      this.shortWaits.add(dueAt);
      this.time.after(dueAt - this.time.now, () => {
        this.shortWaits.delete(dueAt);
        this.fire({ everyMs: 1000 * this.scenario.tickSeconds, target: { exactSince: dueAt } });
      });
    }
    return answer;
  };

  private fire({ everyMs, target }: Rule): void {
    const { scenario, queue, clock, random } = this;
    const records = Object.assign(Object.create(this.store.records), { settle: this.settled });
    const store = { ...this.store, records };
    run(
      {
        target: { queue: QUEUE, lane: QUEUE, ...target },
        process: this.attempt,
        policy: queue.policy,
        limits: {
          concurrency: scenario.concurrency,
          attemptsPerSecond: scenario.attemptsPerSecond,
          attemptTimeout: QUEUE_DEFAULTS.attemptTimeout,
        },
        breaker: scenario.breaker,
        deadline: clock.wall() + FUNCTION_TIMEOUT_SECONDS * 1000,
        functionTimeoutSeconds: FUNCTION_TIMEOUT_SECONDS,
        tickSeconds: everyMs / 1000,
      },
      { store, clock, random, logger: SILENT, breakerMemory: this.breakers },
    ).catch((error: unknown) => {
      this.trouble = error;
    });
  }

  private readonly attempt: Process = async (record, context) => {
    const { log, clock, scenario } = this;
    const now = clock.now();
    const refusal = this.destination.refuses(record.id, now - START);
    log.started(record, now, refusal !== undefined);
    if (log.attempts % PROGRESS_ATTEMPTS === 0) {
      this.onProgress({
        attempts: log.attempts,
        succeeded: this.succeeded,
        elapsedMs: now - START,
      });
    }
    const endsInTime = scenario.attemptMs < QUEUE_DEFAULTS.attemptTimeout * 1000;
    await clock.sleep(scenario.attemptMs, endsInTime ? undefined : context.signal);
    if (refusal) throw refusal;
    this.succeeded++;
  };

  /** Inserts the records whose time has come, and waits for the next. */
  private arrive(): void {
    for (; this.nextArrival && this.arrivesAt() <= this.time.now; this.nextArrival = this.coming.next().value)
      this.insert(this.nextArrival.id);
    if (this.nextArrival) this.time.after(this.arrivesAt() - this.time.now, () => this.arrive());
  }

  private insert(id: string): void {
    const insertedAt = toIso(this.time.now);
    const place = { queue: QUEUE, lane: QUEUE, insertedAt, dueAt: insertedAt, rev: 'inserted' };
    this.store.put({ id, status: 'NEW', payload: {}, ...place });
  }

  private arrivesAt(): number {
    return this.nextArrival ? START + this.nextArrival.atMs : Number.POSITIVE_INFINITY;
  }

  private dueAt(): number {
    const dueAt = this.store.earliestDue(QUEUE);
    return dueAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(dueAt);
  }
}

function isTimeOf({ everyMs }: Rule, at: number): boolean {
  return (at - START) % everyMs === 0;
}

/** The time at which it fires next, from that time on. */
function nextTimeOf({ everyMs }: Rule, from: number): number {
  return START + Math.ceil((from - START) / everyMs) * everyMs;
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Fires at the start and at every multiple of its interval, as an EventBridge rule with a rate does. */
interface Rule {
  readonly everyMs: number;
  /** The target of the run that it starts. */
  readonly target: Pick<RunTarget, 'band' | 'catchUp' | 'exactSince'>;
}

/**
 * The rules of a queue, as the CDK construct has them: one that polls for what is due, or one for each tier of a
 * progressive queue.
 */
function rulesOf(
  tiers: readonly Tier<number>[] | undefined,
  { tickSeconds, functionTimeoutSeconds }: { tickSeconds: number; functionTimeoutSeconds: number },
): readonly Rule[] {
  if (!tiers) return [{ everyMs: tickSeconds * 1000, target: {} }];
  const bands = tierBands(tiers, functionTimeoutSeconds);
  return bands.map((band) => ({
    everyMs: band.every * 1000,
    target: { band, catchUp: caughtUpBy(band, bands) },
  }));
}
