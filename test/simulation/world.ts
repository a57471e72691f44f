import '../loaded-limits.js';
import '../../src/client/complete.js';
import type { ArrivalsEvent } from '../../functions/intake/arrivals.js';
import type { RuleEvent } from '../../functions/intake/dead-run.js';
import type { IntakeSettings } from '../../functions/intake/settings.js';
import { isTrouble } from '../../functions/run-report.js';
import type { IndexingDeps } from '../../src/intake/index.js';
import { BacklogOperator } from '../../src/operate/index.js';
import { type ResolvedPolicy, resolvePolicy, type TierBand } from '../../src/policies/index.js';
import {
  type BacklogRecord,
  type Done,
  type Item,
  lanesOf,
  RetryAfter,
  Snooze,
} from '../../src/record/index.js';
import { MemoryStore } from '../../src/store/index.js';
import type { OperatorStore } from '../../src/store/operator-store.js';
import type { BacklogStore } from '../../src/store/store.js';
import { VirtualTime } from '../../src/support/virtual-time.js';
import {
  type Arrivals,
  type AttemptContext,
  type FailingMemory,
  type Process,
  type RunSummary,
  resolveBreaker,
  run,
} from '../../src/worker/index.js';
import type { RunEnd } from '../../tools/src/lab/cloud/async-invocations.js';
import { Chaos, NO_TROUBLES } from '../../tools/src/lab/cloud/chaos.js';
import { Actor, type Faults, NO_FAULTS } from './actor.js';
import { inBatchesOf } from './batches.js';
import { Cloud } from './cloud/cloud.js';
import { invocation } from './cloud/invocation.js';
import { ControlTable } from './control-table.js';
import { Edits } from './edits.js';
import { faultyStore } from './faulty-store.js';
import { destinationOf, type Features, LATE_TASK, makeFeatures, makeOutage } from './features.js';
import { hostileItemsOf, isHostile } from './hostile-items.js';
import { withItemLag } from './item-lag.js';
import { eagerMemory, isFairAt, type Keys, keyOf, makeKeys, RandomBatchKeys } from './keys.js';
import { type OperatorKind, Operators } from './operators.js';
import { OutsideWitness } from './outside-witness.js';
import { Outsiders } from './outsiders.js';
import { type ProducerDeps, Producers } from './producers.js';
import { between, chance, seededRandom } from './random.js';
import { replacing } from './replacing.js';
import {
  type ArrivalsScenario,
  FUNCTION_TIMEOUT_SECONDS,
  MAX_SHARDS,
  makeScenario,
  type Scenario,
  TICK_MS,
  TROUBLED_MS,
  WAIT_SECONDS,
} from './scenario.js';
import { actOut, makeScripts, resultOf, type Script, writeTimesMs } from './script.js';
import { settled } from './settled.js';
import { spoil } from './spoil.js';
import { withStaleIndex } from './stale-index.js';
import { Versions } from './versions.js';
import { Witness } from './witness.js';

interface Target {
  readonly queue: string;
  readonly band?: TierBand | undefined;
  readonly catchUp?: readonly TierBand[] | undefined;
  readonly arrivals?: Arrivals | undefined;
  /** The number of the run, if several share the queue's lanes. */
  readonly part?: number | undefined;
  /** The run attempts only records that are kept to the second, since then. */
  readonly exactSince?: number | undefined;
  /** The first band as it was when a run on arrivals started, which goes by it to its end. */
  readonly firstBand?: TierBand | undefined;
}

const START = Date.parse('2026-01-01T00:00:00.000Z');
const HOUR_MS = 3_600_000;
const LANES_PER_RUN = 8;
/** The breaker of a queue whose records have destinations. */
const QUICK_BREAKER = { failureThreshold: 0.3, minimumAttempts: 2, halfOpenAfter: 50 };
const MAX_MS = 5 * HOUR_MS;
/** Time after which a stream that was frozen has been read. */
const AFTERMATH_MS = 20 * TICK_MS;
const FUNCTION_TIMEOUT_MS = FUNCTION_TIMEOUT_SECONDS * 1000;
/** Their chance is their own: a world without them stays as it is. */
const OPERATORS_SEED = 0x6f70;
const FEATURES_SEED = 0x6665;
const EDITS_SEED = 0x6564;
const OPERATORS_MS = 2 * TROUBLED_MS;
/** Operators write until then: those that bring back discarded records take their time. */
const OPERATORS_LAST_MS = OPERATORS_MS + 1_000_000;
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
/** Less than a tick: it is kept to the second. */
const SHORT_WAIT_SECONDS = 20;
const SHORT_WAITS_SEED = 0x7377;
const REPORTS_SEED = 0x7265;
const OUTAGE_SEED = 0x6f75;
const AGAIN_SEED = 0x6167;
const KEYS_SEED = 0x6b65;
const PENDING_SEED = 0x7065;
/** Probability that attempts of a world end outside. */
const PENDING_CHANCE = 0.12;
const BY_AGE = resolvePolicy({ type: 'progressive' });

/** Takes a safeguard out, to see that its absence is noticed. */
export interface Sabotage {
  readonly store?: (store: OperatorStore) => OperatorStore;
  /** Makes worlds in which it shows. */
  readonly scenario?: (scenario: Scenario) => Scenario;
  readonly features?: (features: Features) => Features;
  /** A run attempts records whose task it does not know. */
  readonly knowsAll?: boolean;
  /** Attempts get the very record that the run goes on with, in place of a copy. */
  readonly givesItsOwn?: boolean;
  readonly noSweep?: boolean;
  readonly noOnFailure?: boolean;
  /** Every world has an outage. */
  readonly hasOutage?: boolean;
  /** Records of every world may come again. */
  readonly comesAgain?: boolean;
  /** Some attempts of every world end outside. */
  readonly hasPending?: boolean;
  /** Ends from outside are taken with any token. */
  readonly comparesNoToken?: boolean;
  /** Records of every world have keys, and its queue is fair between them to the end. */
  readonly hasKeys?: boolean;
  /** Attempts of a key at once, in such worlds. */
  readonly concurrencyPerKey?: number;
  /** Attempts of a key started per second, in such worlds. */
  readonly attemptsPerSecondPerKey?: number;
}

/**
 * A small world: one queue, some records, and rules that fire on time, twice, late or not at all. Runs of the production code
 * are killed, frozen and cut off from the store at any step. After a while all is well, and everything must end.
 */
export class World {
  readonly ended: RunSummary['ended'][] = [];
  private readonly random: () => number;
  private readonly time = new VirtualTime(START, settled);
  private readonly truth: MemoryStore;
  private readonly control: ControlTable;
  private readonly store: OperatorStore;
  private readonly scripts: Map<string, Script>;
  private readonly scenario: Scenario;
  private readonly witness: Witness;
  private readonly versions = new Versions();
  private readonly producers: Producers;
  readonly features: Features;
  private readonly featuresRandom: () => number;
  private readonly editsRandom: () => number;
  private readonly edits: Edits;
  private readonly troubles: Faults;
  private readonly perRecord: ResolvedPolicy;
  private readonly cloud: Cloud | undefined;
  private operators: Operators | undefined;
  private readonly outsiders: Outsiders | undefined;
  readonly outside: OutsideWitness;
  /** When producers write. */
  private readonly writesMs: readonly number[];
  private readonly attempts = new Map<string, number>();
  private actors = 0;
  /** The stream, on some changes. */
  private hasGivenUp = false;
  /** Records whose success had them come again, once. */
  private readonly cameAgain = new Set<string>();
  /** Removed, as they had expired. */
  private readonly gone = new Set<string>();

  private readonly operatorsRandom: () => number;
  private readonly reportsRandom: () => number;
  private readonly outageRandom: () => number;
  private readonly keysRandom: () => number;
  private readonly pendingRandom: () => number;
  /** Memory of a sandbox, from run to run. */
  private readonly failingMemory: FailingMemory = new Map();
  private readonly hasOperators: boolean;

  /**
   * @param hasArrivals whether producers put bare records; by chance if it is left open
   * @param hasOperators whether operators are at work; likewise
   */
  constructor(
    private readonly seed: number,
    private readonly sabotage: Sabotage = {},
    hasArrivals?: boolean,
    hasOperators?: boolean,
  ) {
    this.random = seededRandom(seed);
    this.operatorsRandom = seededRandom(seed + OPERATORS_SEED);
    this.reportsRandom = seededRandom(seed + REPORTS_SEED);
    this.hasOperators = hasOperators ?? chance(this.operatorsRandom, 0.2);
    const scenario = makeScenario(this.random, hasArrivals);
    this.featuresRandom = seededRandom(seed + FEATURES_SEED);
    this.editsRandom = seededRandom(seed + EDITS_SEED);
    this.outageRandom = seededRandom(seed + OUTAGE_SEED);
    const hasOutage = chance(this.outageRandom, 0.1) || sabotage.hasOutage === true;
    this.keysRandom = seededRandom(seed + KEYS_SEED);
    this.pendingRandom = seededRandom(seed + PENDING_SEED);
    const keys = this.drawKeys();
    const features = makeFeatures(
      this.featuresRandom,
      scenario.arrivals !== undefined,
      chance(this.editsRandom, 0.4),
      hasOutage ? makeOutage(this.outageRandom) : undefined,
      keys,
      chance(this.pendingRandom, PENDING_CHANCE) || sabotage.hasPending === true,
    );
    this.features = sabotage.features?.(features) ?? features;
    const breaker =
      scenario.breaker ?? (this.features.destinations ? resolveBreaker(QUICK_BREAKER) : undefined);
    // Only queues that retry per record make probes.
    const retryModes = hasOutage || keys ? [{ fromMs: 0, bands: undefined }] : scenario.retryModes;
    const made = { ...scenario, breaker, retryModes };
    this.scenario = sabotage.scenario?.(made) ?? made;
    const { lateRepeat, throttled, clockJumps } = this.features;
    this.troubles = { ...this.scenario.faults, lateRepeat, throttled, clockJump: clockJumps?.chance ?? 0 };
    const deps = { clock: this.time.clock() };
    this.truth = new MemoryStore(deps);
    this.control = new ControlTable(this.truth, deps);
    const { arrivals } = this.scenario;
    const stale = this.staleIndex(this.features.controlTable ? this.control.store() : this.truth);
    this.store = sabotage.store?.(stale) ?? stale;
    const hasBare = arrivals !== undefined;
    // A process whose requests get no answer does not wait longer for an attempt that ignores its signal.
    const longestMs = this.scenario.faults.hang > 0 ? 70_000 : 250_000;
    const scripts = makeScripts(this.random, { horizonMs: TROUBLED_MS, hasBare, longestMs });
    this.writesMs = scripts.flatMap(writeTimesMs);
    const again = seededRandom(seed + AGAIN_SEED);
    const someComeAgain = chance(again, 0.3) || sabotage.comesAgain === true;
    this.scripts = new Map(
      scripts.map((script) => {
        const againMs = chance(again, 0.4) ? between(again, 1, TROUBLED_MS) : undefined;
        const key = this.features.keys && keyOf(this.keysRandom);
        return [script.id, { ...this.withTask(script), ...(someComeAgain && { againMs }), key }];
      }),
    );
    const hasPoison = [...this.scripts.values()].some(({ crashesFirst }) => crashesFirst > 0);
    const isShort = chance(seededRandom(seed + SHORT_WAITS_SEED), 0.25);
    const interval = this.features.outage?.waitSeconds ?? (isShort ? SHORT_WAIT_SECONDS : WAIT_SECONDS);
    this.perRecord = resolvePolicy({ type: 'constant', interval });
    this.witness = new Witness(this.scenario, this.features, hasPoison, this.versions, interval);
    this.outside = new OutsideWitness({
      report: (violation) => this.witness.report(violation),
      waits: (id, until) => this.witness.waitsOutside(id, until),
      edits: this.features.edits || this.features.overwrites || this.hasOperators,
    });
    this.outsiders = this.features.pending ? this.makeOutsiders() : undefined;
    this.cloud = arrivals && this.makeCloud(arrivals);
    this.producers = this.makeProducers();
    this.edits = this.makeEdits();
  }

  private makeCloud({ stream, troubles }: ArrivalsScenario): Cloud {
    return new Cloud({
      stream,
      chaos: new Chaos(this.time, this.random, () => (this.isTroubled() ? troubles : NO_TROUBLES)),
      faults: () => this.faults(),
      settings: this.intakeSettings(),
      keysOf: (deps) => this.batchKeys(deps),
      newActor: (kind) => this.newActor(kind),
      storeOf: (actor) => this.watched(actor),
      run: (event) => this.startByEvent(event as ArrivalsEvent & RuleEvent),
      hasOnFailure: !this.sabotage.noOnFailure,
      gaveUp: (ids) => {
        this.hasGivenUp = true;
        for (const id of ids) this.witness.isGivenUp(id, this.time.now);
      },
      hearsIntake: (name, event, failed, report) => this.witness.hearsIntake(name, event, failed, report),
    });
  }

  private drawKeys(): Keys | undefined {
    const hasKeys = chance(this.keysRandom, 0.25);
    const { hasKeys: isWanted, concurrencyPerKey, attemptsPerSecondPerKey } = this.sabotage;
    if (!isWanted) return hasKeys ? makeKeys(this.keysRandom) : undefined;
    const fair = { changesAtMs: [], isFairAtFirst: true };
    const isLimited = concurrencyPerKey !== undefined || attemptsPerSecondPerKey !== undefined;
    if (isLimited) return { ...fair, concurrencyPerKey, attemptsPerSecondPerKey };
    return { ...makeKeys(this.keysRandom), ...fair };
  }

  /** Tells whether the queue is fair between keys now. */
  private isFair(): boolean {
    const { keys } = this.features;
    return keys !== undefined && isFairAt(keys, this.time.now - START);
  }

  private batchKeys(deps: IndexingDeps): RandomBatchKeys | undefined {
    if (!this.isFair()) return undefined;
    const remembered = { meters: new Map(), lanes: new Map() };
    const shardsOf = (queue: string) => (queue === 'q' ? this.shardsNow().shards : 1);
    const isFair = (queue: string) => queue === 'q';
    return new RandomBatchKeys(this.keysRandom, remembered, { ...deps, shardsOf, isFair });
  }

  private withTask(script: Script): Script {
    const { taskKnownFromMs } = this.features;
    const isLate = taskKnownFromMs !== undefined && chance(this.featuresRandom, 0.4);
    return isLate ? { ...script, task: LATE_TASK } : script;
  }

  private staleIndex(store: OperatorStore): OperatorStore {
    const { maxStaleMs } = this.scenario;
    const now = () => this.time.now;
    if (this.features.itemLag) {
      return withItemLag(store, (id) => this.item(id), now, this.featuresRandom, Math.max(500, maxStaleMs));
    }
    const lanes = this.features.keys ? lanesOf('q') : this.lanes;
    return withStaleIndex(store, now, this.random, maxStaleMs, ['r', ...lanes]);
  }

  private item(id: string): Item | undefined {
    return this.truth.item(id);
  }

  /** The lanes of the queue with shards, however many it has at the time. */
  private get lanes(): readonly string[] {
    const { shards = 1, keys } = this.features;
    return lanesOf('q', 0, Math.max(MAX_SHARDS, keys?.shards ?? shards));
  }

  private intakeSettings(): IntakeSettings {
    const world = this;
    const functions = new Map([
      ['q', 'Q'],
      ['r', 'R'],
    ]);
    return {
      tables: { records: 'records', control: 'control' },
      functionTimeoutSeconds: 60,
      get queues() {
        return {
          q: {
            retryMode: world.bandsAt(world.time.now - START)
              ? ('progressive' as const)
              : ('perRecord' as const),
            shards: world.shardsNow().shards,
          },
          r: { retryMode: 'perRecord' as const },
        };
      },
      metrics: 'full',
      redeliveryUrl: 'https://sqs/returns',
      eventDlqUrl: undefined,
      functions,
      get arrivalFunctions() {
        return world.isOnArrival() ? functions : new Map<string, string>();
      },
    };
  }

  private isOnArrival(): boolean {
    const ms = this.time.now - START;
    return this.scenario.arrivals?.onArrival.findLast(({ fromMs }) => fromMs <= ms)?.isOn ?? false;
  }

  async play(): Promise<string[]> {
    this.scheduleProducers();
    this.scheduleRestore();
    this.schedulePause();
    this.scheduleKeyPauses();
    this.scheduleExpiry();
    this.scheduleSweep();
    this.scheduleHostileItems();
    if (this.hasOperators) this.scheduleOperators();
    const lastWriteMs = Math.max(...this.writesMs, this.hasOperators ? OPERATORS_LAST_MS : 0);
    for (let at = 0; ; at = this.nextTick(at)) {
      const longestMs = this.losesEvents() || this.hasGivenUp ? 49 * HOUR_MS : MAX_MS;
      if (at > longestMs) {
        this.witness.report(`still open after ${longestMs / 60_000} minutes: ${this.openIds().join(', ')}`);
        break;
      }
      const isPast = at > Math.max(TROUBLED_MS, lastWriteMs) && this.producers.isDone && this.edits.isDone;
      if (isPast && this.openIds().length === 0) break;
      await this.time.runUntil(START + at);
      this.fireRules(at);
      await this.time.runUntil(START + at + TICK_MS);
    }
    await this.time.runUntilQuiet(this.time.now + 10 * TICK_MS);
    this.checkEnds();
    return this.witness.violations;
  }

  private makeProducers(): Producers {
    const { time, truth, store, witness, versions, cloud } = this;
    const { hasSecondQueue = false } = this.scenario.arrivals ?? {};
    const mayRaiseDead = this.losesEvents();
    const wrote: ProducerDeps['wrote'] = (kind, item) => cloud?.wrote(kind, item);
    const fencesAll = this.features.overwrites;
    return new Producers({
      time,
      truth,
      store,
      witness,
      versions,
      fencesAll,
      hasSecondQueue,
      mayRaiseDead,
      wrote,
    });
  }

  private scheduleProducers(): void {
    for (const script of this.scripts.values()) {
      this.producers.schedule(script);
      if (this.features.overwrites)
        this.producers.scheduleOverwrites(script, this.featuresRandom, TROUBLED_MS);
      if (this.features.edits) this.edits.schedule(script, TROUBLED_MS);
    }
  }

  private makeEdits(): Edits {
    const { time, truth, witness, versions, cloud, editsRandom: random } = this;
    return new Edits({
      ...{ time, truth, witness, versions, random },
      hasSecondQueue: this.hasRuleOfSecondQueue(),
      hasArrivals: cloud !== undefined,
      wasWritten: (item) => this.producers.wasWritten(item),
      wrote: (kind, item) => {
        this.producers.notes(item);
        cloud?.wrote(kind, item);
      },
    });
  }

  private makeOutsiders(): Outsiders {
    const { pendingRandom: random, outside, store, time } = this;
    return new Outsiders({
      random,
      after: (milliseconds, action) => time.after(milliseconds, action),
      witness: outside,
      newActor: () => this.newActor('outsider', random),
      store,
      faulty: (watched, actor) => faultyStore(watched, actor, () => this.faults(), random),
      item: (id) => this.item(id),
      comparesNoToken: this.sabotage.comparesNoToken === true,
    });
  }

  private hasRuleOfSecondQueue(): boolean {
    const { arrivals, retryQueues } = this.scenario;
    return arrivals?.hasSecondQueue === true || retryQueues.q !== undefined || this.hasOperators;
  }

  private scheduleOperators(): void {
    const { time, operatorsRandom: random, scripts } = this;
    this.operators = new Operators({
      random,
      after: (milliseconds, action) => time.after(milliseconds, action),
      horizonMs: OPERATORS_MS,
      ids: [...scripts.keys()],
      retention: this.features.expiry?.retention,
      newActor: () => this.newActor('operator', random),
      storeOf: (actor, kind) =>
        faultyStore(this.watchedOperator(actor, kind), actor, () => this.faults(), random),
      fire: (queue) => this.fireNow(queue),
    });
    this.operators.schedule();
  }

  /** The rule of a queue that retries per record. */
  private fireNow(queue: string): void {
    const bands = queue === 'q' ? this.bandsAt(this.time.now - START) : undefined;
    if (!bands && this.time.now - START < OPERATORS_MS) this.fire({ queue });
  }

  /** Looks on while an operator's writes take effect. */
  private watchedOperator(actor: Actor, kind: OperatorKind): OperatorStore {
    const { store } = this;
    const change: OperatorStore['records']['change'] = async (record, written, rev) => {
      const before = this.item(record.id);
      const answer = await store.records.change(record, written, rev);
      const isNew = answer === 'settled' && before?.rev !== rev;
      if (isNew) this.witness.operates(actor, kind, record, written, before, this.time.now);
      return answer;
    };
    return replacing({ records: { change } }, store);
  }

  /** Once while things go wrong; the rest is up to the hourly rule. */
  private scheduleSweep(): void {
    const at = this.scenario.arrivals?.sweepAtMs;
    if (at !== undefined) this.time.after(at, () => this.fireSweep());
  }

  private fireSweep(): void {
    if (!this.sabotage.noSweep) void this.cloud?.sweep();
  }

  /** Tells whether only the sweep finds what no event has reached, as in some worlds. */
  private losesEvents(): boolean {
    return (this.scenario.arrivals?.troubles.lostPermanently ?? 0) > 0;
  }

  /** The next minute; or, when nothing is left to do but to wait, the one of the next write, or of the next sweep. */
  private nextTick(at: number): number {
    const next = at + TICK_MS;
    const isIdle =
      at > TROUBLED_MS + AFTERMATH_MS &&
      this.cloud?.isQuiet === true &&
      this.items().every((item) => isDone(item) || isUnfound(item));
    if (!isIdle) return next;
    const hour = (Math.floor(at / HOUR_MS) + 1) * HOUR_MS;
    const nextWrite = Math.min(...this.writesMs.filter((ms) => ms >= next));
    return Math.min(hour, Math.max(next, Math.floor(nextWrite / TICK_MS) * TICK_MS));
  }

  private schedulePause(): void {
    const { pause } = this.scenario;
    if (!pause) return;
    const setPaused = (isPaused: boolean) => void this.store.queues.setPaused('q', isPaused);
    // An operator who restores the control table sets the queues' pauses again.
    const restoredMs = this.features.controlTable?.atMs ?? 0;
    this.time.after(pause.fromMs, () => setPaused(true));
    this.time.after(pause.untilMs, () => setPaused(false));
    if (restoredMs >= pause.untilMs) this.time.after(restoredMs + 1, () => setPaused(false));
  }

  private scheduleKeyPauses(): void {
    const restoredMs = this.features.controlTable?.atMs ?? 0;
    for (const { key, fromMs, untilMs, hasEnd } of this.features.keys?.pauses ?? []) {
      const operator = () => {
        const store = this.watchedOperator(this.newActor('operator', this.keysRandom), 'runNow');
        const [clock, random] = [this.time.clock(), this.keysRandom];
        return new BacklogOperator({ table: 'records', controlTable: 'control', store, clock, random });
      };
      const until = hasEnd && untilMs > fromMs ? { until: new Date(START + untilMs) } : {};
      const resume = () => void operator().resumeKey('q', key);
      this.time.after(fromMs, () => void operator().pauseKey('q', key, until));
      this.time.after(untilMs, resume);
      if (restoredMs >= untilMs) this.time.after(restoredMs + 1, resume);
    }
  }

  private scheduleRestore(): void {
    const { controlTable } = this.features;
    if (!controlTable) return;
    const { atMs, asOfMs } = controlTable;
    if (asOfMs !== undefined) {
      this.control.beginCopy();
      this.time.after(asOfMs, () => this.control.copied());
    }
    this.time.after(atMs, () => this.control.restore());
  }

  private scheduleHostileItems(): void {
    for (const { item, atMs } of hostileItemsOf(this.seed, TROUBLED_MS)) {
      this.time.after(atMs, () => {
        this.truth.put(item);
        this.cloud?.wrote('INSERT', item);
      });
    }
  }

  /** The records of the scripts. */
  private items(): Item[] {
    return this.truth.items().filter(({ id }) => !isHostile(id));
  }

  /** Deletes expired records, at once or some time within two days. */
  private scheduleExpiry(): void {
    const { expiry } = this.features;
    if (!expiry) return;
    const look = () => {
      for (const item of this.items()) {
        const expiredMs = this.time.now - 1000 * Number(item.expiresAt ?? Number.POSITIVE_INFINITY);
        if (expiredMs < (expiry.isLate ? between(this.featuresRandom, 0, 48 * HOUR_MS) : 0)) continue;
        // Until the library has written it, the end that its producer has left it holds.
        if (!isDone(item) && !this.producers.keepsItsEnd(item))
          this.witness.report(`${item.id}: expired while it waited, ${item.status}`);
        this.truth.delete(String(item.id));
        this.gone.add(String(item.id));
      }
      if (this.time.now - START < MAX_MS) this.time.after(TICK_MS / 2, look);
    };
    look();
  }

  private bandsAt(ms: number): readonly TierBand[] | undefined {
    return this.scenario.retryModes.findLast(({ fromMs }) => fromMs <= ms)?.bands;
  }

  /** Fires the rules whose turn it is, all at once. */
  private fireRules(at: number): void {
    const { arrivals } = this.scenario;
    if (at > 0 && at % HOUR_MS === 0) this.fireSweep();
    if (this.hasRuleOfSecondQueue()) this.fire({ queue: 'r' });
    if (at < (arrivals?.enabledFromMs ?? 0)) return;
    const bands = this.bandsAt(at);
    if (!bands) this.fire({ queue: 'q' });
    for (const band of bands ?? []) {
      if (at % (band.every * 1000) !== 0) continue;
      const isLost = this.scenario.losesSlowRule && band.number === 3 && at >= TROUBLED_MS;
      const catchUp = band.number === 2 ? bands?.slice(2) : undefined;
      if (!isLost) this.fire({ queue: 'q', band, catchUp });
    }
  }

  /** Mostly once and a little late; now and then twice, or not at all. */
  private fire(target: Target): void {
    const deps = target.queue === 'q' ? Math.ceil(this.shardsNow().shards / LANES_PER_RUN) : 1;
    for (let part = 0; part < deps; part++) this.firePart({ ...target, part });
  }

  private firePart(target: Target): void {
    const { random } = this;
    const isLost = this.isTroubled() && chance(random, 0.05);
    for (const _ of isLost ? [] : chance(random, 0.25) ? [1, 2] : [1]) {
      const late = chance(random, 0.1) ? between(random, 0, 50_000) : between(random, 0, 2_000);
      this.time.after(late, () => void this.startByRule(target));
    }
  }

  private isTroubled(): boolean {
    return this.time.now - START < TROUBLED_MS;
  }

  private faults(): Faults {
    return this.isTroubled() ? this.troubles : NO_FAULTS;
  }

  private newActor(kind: string, random = this.random): Actor {
    const actor = new Actor(
      `${kind} ${++this.actors}`,
      this.time,
      random,
      () => this.faults(),
      this.features.clockJumps?.mostMs,
    );
    actor.onKilled = () => this.witness.dies(actor);
    return actor;
  }

  /** Lambda reports how it came out; now and then, a death that is none, of a run that has given back what it held. */
  private async startByRule({ queue, band, catchUp, part = 0 }: Target): Promise<void> {
    const end = await this.startRun({ queue, band, catchUp, part });
    const event = { queue, tier: band, catchUp, part: { number: part, of: part + 1 } };
    const isFalse = end.ended === 'well' && !this.features.thaws && chance(this.reportsRandom, 0.1);
    this.cloud?.ruleRan(event, isFalse ? { ...end, ended: 'died' } : end);
  }

  /** Starts the run that the intake asks for. A function refuses a tier that its queue has not. */
  private async startByEvent(event: ArrivalsEvent & RuleEvent): Promise<RunEnd> {
    const { queue, arrivals } = event;
    if (arrivals) return this.startRun({ queue, arrivals });
    const { tier, catchUp, part, exactSince } = event as {
      exactSince?: number;
      tier?: TierBand;
      catchUp?: TierBand[];
      part?: { number: number };
    };
    const bands = queue === 'q' ? this.bandsAt(this.time.now - START) : undefined;
    const band = bands?.find(({ number }) => number === tier?.number);
    if (bands && exactSince !== undefined) return { ended: 'failed', requestId: 'refused' };
    const isKnown = bands ? JSON.stringify(band) === JSON.stringify(tier) && band !== undefined : !tier;
    if (!isKnown) return { ended: 'failed', requestId: 'refused' };
    return this.startRun({
      queue,
      band,
      catchUp: catchUp && bands?.slice(2),
      part: part?.number,
      exactSince,
    });
  }

  private async startRun(target: Target): Promise<RunEnd> {
    const actor = this.newActor(target.arrivals ? 'arrivals' : 'run');
    const deadline = actor.clock.wall() + FUNCTION_TIMEOUT_MS;
    const summary = await invocation(
      actor,
      this.time,
      FUNCTION_TIMEOUT_MS,
      () => this.run(actor, target, deadline),
      (ended) => this.rests(ended),
    );
    if (summary === 'failed') {
      const isLate = this.time.now >= deadline - actor.skewMs;
      // It goes by its own clock: one that was set back ends so much later.
      if (isLate && !actor.wasFrozen && !actor.wasSet)
        this.witness.report(`${actor.name} did not end before its deadline`);
      return { ended: 'died', requestId: actor.name };
    }
    this.ended.push(summary.ended);
    this.witness.hears(actor, summary);
    return { ended: isTrouble(summary) ? 'failed' : 'well', requestId: actor.name };
  }

  /** A sandbox between two invocations: mostly nothing is left that could go on with the next one. */
  private rests(actor: Actor): void {
    if (!this.features.thaws || !this.isTroubled()) {
      actor.kill();
      return;
    }
    this.witness.dies(actor);
    actor.rest(between(this.featuresRandom, 1_000, 600_000), between(this.featuresRandom, 1_000, 300_000));
  }

  private async run(actor: Actor, target: Target, deadline: number): Promise<RunSummary> {
    const { queue, band, catchUp, arrivals, part, exactSince } = target;
    const bands = queue === 'q' ? this.bandsAt(this.time.now - START) : undefined;
    const { destinations, taskKnownFromMs: knownFromMs = 0 } = this.features;
    const isByAge = arrivals ? bands !== undefined : band !== undefined;
    try {
      return await run(
        {
          target: {
            queue,
            lane: queue,
            ...(queue === 'q' ? { ...this.shardsNow(part), fairness: this.isFair() } : {}),
            band,
            catchUp,
            exactSince,
            retryMode: isByAge ? 'progressive' : 'perRecord',
            ...(arrivals ? { arrivals, firstBand: bands?.[0] } : {}),
          },
          process: this.processOf(actor, { ...target, firstBand: bands?.[0] }),
          policy: isByAge ? BY_AGE : this.perRecord,
          retryQueue: this.scenario.retryQueues[queue],
          limits: {
            ...this.scenario.limits,
            globalConcurrency: this.features.globalConcurrency,
            concurrencyPerKey: this.features.keys?.concurrencyPerKey,
            attemptsPerSecondPerKey: this.features.keys?.attemptsPerSecondPerKey,
            // So few that runs are often concurrency-limited.
            onInsertConcurrency: Math.ceil(this.scenario.limits.concurrency / 3),
          },
          retention: this.features.expiry?.retention,
          knows: (record) => {
            const isLate = record.task === LATE_TASK && this.time.now - START < knownFromMs;
            spoil(record);
            return this.sabotage.knowsAll || !isLate;
          },
          breaker: this.scenario.breaker,
          ...(destinations ? { destination: (record) => this.destinationOf(record) } : {}),
          invocation: actor.name,
          deadline,
          functionTimeoutSeconds: FUNCTION_TIMEOUT_SECONDS,
          tickSeconds: 60,
        },
        {
          store: faultyStore(this.watched(actor), actor, () => this.faults(), this.random),
          clock: actor.clock,
          random: this.random,
          logger: SILENT,
          failingMemory: this.memoryOfSandbox(),
          keyMemory: this.features.keys && eagerMemory(this.keysRandom),
        },
      );
    } catch (error) {
      this.witness.report(`${actor.name} threw ${(error as Error).stack}`);
      throw error;
    }
  }

  /** Mostly that of the run before; now and then the sandbox is a new one. */
  private memoryOfSandbox(): FailingMemory | undefined {
    if (!this.features.outage) return undefined;
    return chance(this.outageRandom, 0.8) ? this.failingMemory : new Map();
  }

  private destinationOf(record: BacklogRecord): string {
    const destination = destinationOf(record.id, this.features.destinations);
    spoil(record);
    return destination;
  }

  /** The lanes of a run. Those of earlier shards are among them in every run here, not once an hour. */
  private shardsNow(part = 0) {
    const ms = this.time.now - START;
    const byScenario = this.scenario.shards.findLast(({ fromMs }) => fromMs <= ms)?.count ?? 1;
    const shards = this.features.keys?.shards ?? this.features.shards ?? byScenario;
    const deps = Math.ceil(shards / LANES_PER_RUN);
    // The hourly look finds what is in lanes of keys where the queue is not fair any more, or the notes are lost.
    const isLost = this.features.controlTable !== undefined || !this.isFair();
    const lanes = this.features.keys && isLost ? lanesOf('q') : this.lanes;
    return { shards, part, lanes: lanes.filter((_, shard) => shard % deps === part) };
  }

  private processOf(actor: Actor, target: Target): Process {
    const process: Process = (record, context) => this.process(actor, target, record, context);
    const work = this.features.batches ? inBatchesOf(process, actor, this.featuresRandom) : process;
    return (record, context) => {
      this.witness.admits(actor, record, { now: this.time.now, queue: target.queue });
      return work(record, context);
    };
  }

  private process(
    actor: Actor,
    { queue, band: rule, arrivals, firstBand }: Target,
    record: BacklogRecord,
    context: AttemptContext,
  ): Promise<Done> {
    const { attempt, signal } = context;
    const { id } = record;
    if (isHostile(id)) return this.witness.beginsHostile(actor);
    const script = this.scripts.get(id);
    if (!script) throw new Error(`no script for ${id}`);
    const { now } = this.time;
    // A run of the second rule may make up for the third.
    const age = now - Date.parse(record.availableAt ?? record.insertedAt);
    const slower = this.scenario.retryModes
      .flatMap(({ bands }) => bands ?? [])
      .find(({ number }) => number === 3);
    const caughtUp = rule?.number === 2 && slower && age > rule.untilAge * 1000 + 100_000;
    const stored = this.item(id);
    // A run on arrival that is concurrency-limited attempts records from the lanes of its own.
    const isArrival = arrivals !== undefined && record.lane === undefined;
    const first = arrivals && !isArrival ? firstBand : undefined;
    const band = caughtUp ? slower : (rule ?? first);
    const destination = destinationOf(id, this.features.destinations);
    const breaker = this.control.now.breakerOf(queue, destination);
    const look = { now, start: START, band, queue, isArrival, breaker, destination };
    const underway = this.witness.begins(actor, record, stored, look);
    if (this.outsiders) this.outside.begins(actor, id, this.versions.workOf(record), context.token);
    spoil(this.sabotage.givesItsOwn ? this.versions.asRead(record) : record);
    if (now - START < OPERATORS_MS) this.operators?.sees(id);
    if (this.features.overwrites && now - START < OPERATORS_MS)
      this.producers.sees(script, this.featuresRandom);
    if (this.features.edits && now - START < OPERATORS_MS) this.edits.sees(script);
    const made = (this.attempts.get(id) ?? 0) + 1;
    this.attempts.set(id, made);
    const takesMs = made === 1 ? script.firstDurationMs : script.durationMs;
    const pending = this.outsiders?.sees(script, context.token, attempt, takesMs);

    return new Promise((resolve, reject) => {
      const end = (act: () => Done) => {
        this.witness.ends(id, underway);
        try {
          resolve(act());
        } catch (error) {
          if (error instanceof RetryAfter || error instanceof Snooze)
            this.witness.asksToWait(actor, id, error.seconds ?? 0);
          reject(error);
        }
      };
      let over = false;
      const endOnce = (act: () => Done) => {
        if (!over) end(act);
        over = true;
      };
      if (!script.ignoresSignal)
        signal.addEventListener('abort', () =>
          endOnce(() => {
            throw signal.reason;
          }),
        );
      actor.step(takesMs, () => {
        if (made <= script.crashesFirst) return actor.kill();
        if (pending && !this.isDown())
          return endOnce(() => {
            throw pending;
          });
        endOnce(() =>
          this.isDown() ? this.failsToConnect() : actOut(script, attempt, this.random, this.againAt(script)),
        );
      });
    });
  }

  private againAt({ id, againMs }: Script): Date | undefined {
    const isDue = againMs !== undefined && !this.cameAgain.has(id);
    return isDue ? new Date(this.time.now + againMs) : undefined;
  }

  private isDown(): boolean {
    return this.time.now - START < (this.features.outage?.untilMs ?? 0);
  }

  private failsToConnect(): never {
    const random = this.outageRandom;
    if (chance(random, 0.1)) throw new RetryAfter(between(random, 0, 1800));
    if (chance(random, 0.05)) throw new Snooze(between(random, 0, 1800));
    if (chance(random, 0.05)) throw new Snooze({ reason: 'down' });
    throw new Error('down');
  }

  /** Looks on while records are read, and settles take effect. */
  private watched(actor: Actor): OperatorStore {
    const { store, versions } = this;
    const settle: BacklogStore['records']['settle'] = async (record, change, rev) => {
      const before = this.item(record.id);
      const answer = await store.records.settle(record, change, rev);
      const isNew = answer === 'settled' && before?.rev !== rev;
      if (isNew && change.countedAs === 'succeeded') this.cameAgain.add(record.id);
      if (isNew) this.witness.settles(actor, record, change, before, this.time.now);
      if (isNew && this.outsiders && this.scripts.has(record.id))
        this.outside.settles(actor, record, change, before, this.time.now);
      if (isNew && change.set.exact) this.cloud?.wrote('MODIFY', this.item(record.id) ?? {});
      return answer;
    };
    const read: BacklogStore['pages']['read'] = async (ids, queue) => {
      const page = await store.pages.read(ids, queue);
      versions.wasRead(page.records);
      return page;
    };
    const getMany: BacklogStore['records']['getMany'] = async (ids) =>
      versions.wasRead(await store.records.getMany(ids));
    const get: BacklogStore['records']['get'] = async (id) => {
      const record = await store.records.get(id);
      if (record) versions.wasRead([record]);
      return record;
    };
    const set: BacklogStore['breakers']['set'] = async (queue, destination, next, previous) => {
      const isSet = await store.breakers.set(queue, destination, next, previous);
      if (isSet && next && !previous) this.witness.opens(queue, destination, this.time.now);
      return isSet;
    };
    return replacing({ records: { settle, get, getMany }, pages: { read }, breakers: { set } }, store);
  }

  private openIds(): string[] {
    const items = this.items();
    const isThere = (id: string) => this.gone.has(id) || items.some((item) => item.id === id);
    const waiting = [...this.scripts.keys()].filter((id) => !isThere(id));
    return [...waiting, ...items.filter((item) => !isDone(item)).map((item) => String(item.id))];
  }

  private hasBeenEnded(id: string): boolean {
    return this.producers.hasEnded(id) || this.edits.hasEnded(id);
  }

  private checkEnds(): void {
    for (const item of this.items()) {
      const script = this.scripts.get(String(item.id));
      if (!script) continue;
      if (!isDone(item)) this.witness.report(`${item.id}: left behind, ${item.status} in ${item.lane}`);
      if (String(item.deadReason).startsWith('discarded') || this.hasBeenEnded(script.id)) continue;
      const good = Number.isFinite(script.failuresFirst) && script.maxAttempts === undefined;
      if (good && script.end === 'success' && item.status !== 'SUCCESS') {
        this.witness.report(`${item.id}: ended ${item.status} (${item.deadReason}), not SUCCESS`);
      }
      const result = JSON.stringify(resultOf(Number(item.attempts)));
      if (item.status === 'SUCCESS' && item.result !== result)
        this.witness.report(`${item.id}: has the result ${item.result} after attempt ${item.attempts}`);
      if (item.status === 'SUCCESS' && script.end !== 'success')
        this.witness.report(`${item.id}: succeeded, but never did`);
      if (script.crashesFirst === Number.POSITIVE_INFINITY && item.status !== 'DEAD') {
        this.witness.report(`${item.id}: ends its process every time, yet it ended ${item.status}`);
      }
    }
  }
}

function isDone({ status }: Item): boolean {
  return status === 'SUCCESS' || status === 'DEAD';
}

/** No rule will ever find it. */
function isUnfound({ lane }: Item): boolean {
  return lane === undefined || String(lane).endsWith('/dead');
}
