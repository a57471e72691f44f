import '../loaded-limits.js';
import type { ArrivalsEvent } from '../../functions/intake/arrivals.js';
import type { RuleEvent } from '../../functions/intake/dead-run.js';
import { Lines } from '../../functions/intake/lines.js';
import type { IntakeSettings } from '../../functions/intake/settings.js';
import { isTrouble } from '../../functions/run-report.js';
import { parseLine } from '../../src/lines/line.js';
import { orderRulesOf } from '../../src/lines/rules.js';
import { BacklogOperator } from '../../src/operate/index.js';
import { resolvePolicy } from '../../src/policies/index.js';
import { type BacklogRecord, type Item, isPending, isUnwanted, parseRecord } from '../../src/record/index.js';
import { MemoryStore, StoreError } from '../../src/store/index.js';
import type { OperatorStore } from '../../src/store/operator-store.js';
import { seededRandom } from '../../src/support/seeded-random.js';
import { VirtualTime } from '../../src/support/virtual-time.js';
import { type AttemptContext, type RunOptions, run } from '../../src/worker/index.js';
import type { RunEnd } from '../../tools/src/lab/cloud/async-invocations.js';
import { Chaos, NO_TROUBLES } from '../../tools/src/lab/cloud/chaos.js';
import { Actor, type Faults, NO_FAULTS } from '../simulation/actor.js';
import { Cloud } from '../simulation/cloud/cloud.js';
import { invocation } from '../simulation/cloud/invocation.js';
import { faultyStore } from '../simulation/faulty-store.js';
import { withItemLag } from '../simulation/item-lag.js';
import { between, chance, pick } from '../simulation/random.js';
import { settled } from '../simulation/settled.js';
import { keepLines, type LinesLost, type OrderSabotage } from './order-sabotage.js';
import { makeOrderScenario, type OrderScenario, type Planned } from './order-scenario.js';
import { Witness } from './order-witness.js';

const START = Date.UTC(2026, 0, 1);
const TICK_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Time for which things go wrong. */
const TROUBLED_MS = 10 * TICK_MS;
/** A rule attempts one record of a key a minute. */
const MAX_MS = 16 * HOUR_MS;
const TIMEOUT_MS = 300_000;
const POLICY = resolvePolicy({ type: 'constant', interval: 60, maxAttempts: 3 });

/**
 * Plays one world of a queue with order: producers, operators, runs and the intake, which are killed, delayed and cut off at any step.
 *
 * @returns violations; empty: each key's records were attempted one after another, by their numbers, and all have ended
 */
export async function playOrderWorld(seed: number, sabotage: OrderSabotage = {}): Promise<string[]> {
  const world = new OrderWorld(seed, sabotage);
  return world.play();
}

class OrderWorld {
  private readonly random: () => number;
  private readonly time = new VirtualTime(START, settled);
  private readonly truth: MemoryStore;
  private readonly store: OperatorStore;
  private readonly cloud: Cloud;
  private readonly scenario: OrderScenario;
  private readonly witness: Witness;
  private readonly actors: Actor[] = [];
  private readonly attempts = new Map<string, number>();
  /** The stream, on some changes. */
  private hasGivenUp = false;

  constructor(
    private readonly seed: number,
    private readonly sabotage: OrderSabotage,
  ) {
    this.random = seededRandom(seed);
    const scenario = makeOrderScenario(this.random, TROUBLED_MS);
    this.scenario = sabotage.scenario?.(scenario) ?? scenario;
    this.truth = new MemoryStore({ clock: this.time.clock() });
    this.witness = new Witness(
      (id) => this.record(id),
      () => this.time.now,
      sabotage.lines ? undefined : orderRulesOf({ order: 'key', ...this.scenario.rules }),
      sabotage.holdsBackOnly !== true,
    );
    this.truth.watch((before, after) => this.written(before, after));
    const { lines } = this.truth;
    const write = lines.write.bind(lines);
    lines.write = (key, attributes, expected) => {
      this.witness.seesLine(key, attributes);
      return write(key, attributes, expected);
    };
    this.store = withItemLag(
      this.truth,
      (id) => this.truth.item(id),
      () => this.time.now,
      this.random,
      this.scenario.maxStaleMs,
    );
    this.cloud = this.makeCloud();
  }

  async play(): Promise<string[]> {
    for (const planned of this.scenario.records) this.schedule(planned);
    if (this.sabotage.lines) await this.scheduleLoss(this.sabotage.lines);
    for (const { atMs, what, count } of this.scenario.operators)
      this.time.after(atMs, () => void this.operate(what, count));
    for (let at = 0; ; at = this.nextTick(at)) {
      if (at > (this.losesEvents() ? 50 * HOUR_MS : MAX_MS)) {
        this.witness.report(`still open: ${this.openIds().join(', ')}`);
        await this.explain();
        break;
      }
      if (at > TROUBLED_MS + this.scenario.lastWriteMs && this.openIds().length === 0) break;
      await this.time.runUntil(START + at);
      for (const late of this.isTroubled() ? pick(this.random, [[], [1], [1], [1, 1]]) : [1])
        this.time.after(between(this.random, 0, 2_000) * late, () => void this.fireRule());
      if (at > TROUBLED_MS) await this.help(at);
      if (at % HOUR_MS === 0 && this.losesEvents()) void this.cloud.sweep();
      await this.time.runUntil(START + at + TICK_MS);
      // Later violations follow from the first ones.
      if (this.witness.violations.length > 0) break;
    }
    if (this.witness.violations.length === 0) await this.time.runUntilQuiet(this.time.now + 20 * TICK_MS);
    return this.witness.violations.map((violation) => `seed ${this.seed}: ${violation}`);
  }

  /** Adds the lines as they are to the report. */
  private async explain(): Promise<void> {
    for (const key of await this.truth.lines.list('line#')) {
      const line = (await this.truth.lines.read([key])).get(key);
      this.witness.report(`${key}: ${JSON.stringify(line)}`);
      const { id } = (line?.head ?? {}) as { id?: string };
      if (id !== undefined) this.witness.report(`its head: ${JSON.stringify(this.truth.item(id))}`);
    }
  }

  private makeCloud(): Cloud {
    const { time, random, scenario } = this;
    const chaos = new Chaos(time, random, () => (this.isTroubled() ? scenario.troubles : NO_TROUBLES));
    return new Cloud({
      stream: { ...scenario.stream, standstill: undefined, hasOrder: true },
      chaos,
      faults: () => this.faults(),
      settings: this.settings(),
      newActor: (kind) => this.newActor(kind),
      storeOf: () => this.store,
      linesOf: (given) => {
        const { clock, random } = given.indexing;
        const own = faultyStore(this.store, this.actorOf(clock), () => this.faults(), random) as MemoryStore;
        const tables = { lines: own.lines, control: own.control };
        const seen = this.sabotage.tables?.(tables, () => time.now) ?? tables;
        const lines = new Lines(given, seen);
        if (this.sabotage.overlooksAttempts)
          Object.assign(lines, {
            deps: { ...Reflect.get(lines, 'deps'), isUnderAttempt: async () => false },
          });
        if (!this.sabotage.siftsNothing) return lines;
        return Object.assign(lines, {
          sift: async (_: unknown, changes: readonly never[]) => ({
            changes: [...changes].filter(
              ({ record }: { record?: BacklogRecord }) => record && isPending(record),
            ),
            failed: undefined,
          }),
          admit: async (ids: string[]) => ({ ids, undone: [] }),
        });
      },
      run: (event) => this.startRun(event as ArrivalsEvent & RuleEvent),
      hasOnFailure: true,
      gaveUp: () => {
        this.hasGivenUp = true;
      },
      hearsIntake: () => {},
    });
  }

  private readonly actorsByClock = new WeakMap<object, Actor>();

  private actorOf(clock: object): Actor {
    const actor = this.actorsByClock.get(clock);
    if (!actor) throw new Error('a clock of no actor');
    return actor;
  }

  private newActor(kind: string): Actor {
    const actor = new Actor(`${kind} ${this.actors.length}`, this.time, this.random, () => this.faults());
    this.actors.push(actor);
    this.actorsByClock.set(actor.clock, actor);
    actor.onKilled = () => this.witness.dies(actor.name);
    return actor;
  }

  private settings(): IntakeSettings {
    const { rules, shards, onArrival } = this.scenario;
    return {
      tables: { records: 'records', control: 'control' },
      functionTimeoutSeconds: 60,
      queues: { q: { retryMode: 'perRecord', shards, order: 'key', ...rules } },
      metrics: 'full',
      redeliveryUrl: 'https://sqs/returns',
      eventDlqUrl: undefined,
      functions: new Map([['q', 'Q']]),
      arrivalFunctions: onArrival ? new Map([['q', 'Q']]) : new Map(),
    };
  }

  private schedule({ id, key, seq, atMs, isIndexed, delayMs, ends }: Planned): void {
    this.time.after(atMs, () => {
      const now = new Date(this.time.now).toISOString();
      const available = delayMs === undefined ? undefined : new Date(this.time.now + delayMs).toISOString();
      const item: Item = {
        ...{ id, status: 'NEW', queue: 'q', payload: { seq }, key, seq },
        ...(available && { availableAt: available }),
        ...(isIndexed && { lane: 'q', dueAt: available ?? now, insertedAt: now, rev: `new-${id}` }),
      };
      this.witness.comes(id, key, seq);
      this.truth.put(item);
    });
    if (ends) {
      this.time.after(ends.atMs, () => {
        const stored = this.truth.item(id);
        if (!stored) return;
        if (ends.how === 'deleted') this.truth.delete(id);
        else void this.operator().discard([id], { reason: 'not wanted', delete: ends.how === 'removed' });
      });
    }
  }

  private async scheduleLoss({ atMs, toMs }: LinesLost): Promise<void> {
    let setBack = await keepLines(this.truth);
    if (toMs !== undefined)
      this.time.after(toMs, async () => {
        setBack = await keepLines(this.truth);
      });
    this.time.after(atMs, () => {
      for (const actor of this.actors) actor.kill();
      void setBack();
    });
  }

  private operator(): BacklogOperator {
    return new BacklogOperator({
      ...{ table: 'records', controlTable: 'control' },
      ...{ store: this.store, clock: this.time.clock(), random: this.random },
    });
  }

  /** An operator does something about records that are drawn. */
  private async operate(what: 'redrive' | 'runNow' | 'snooze', count: number): Promise<void> {
    const ids = this.truth.items().map(({ id }) => String(id));
    const some =
      ids.length === 0
        ? []
        : Array.from({ length: count }, () => pick(this.random, ids as [string, ...string[]]));
    if (some.length === 0) return;
    if (what === 'redrive') for (const id of some) this.raises(id);
    try {
      if (what === 'redrive') await this.operator().redrive(some);
      else if (what === 'runNow') await this.operator().runNow(some);
      else await this.operator().snooze(some, { delay: between(this.random, 1, 100) });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  private raises(id: string): void {
    if (this.record(id)?.status === 'DEAD') this.witness.raised(id);
  }

  /** A number that ended before its line knew of it, and whose events are lost, is missing for ever: its producer says that it is over. */
  private async fillGaps(): Promise<void> {
    for (const name of await this.truth.lines.list('line#')) {
      const line = parseLine((await this.truth.lines.read([name])).get(name));
      if (line.gapSince === undefined || line.head) continue;
      const [, , key] = name.split('#');
      this.truth.put({
        id: `${key}${line.next}-over`,
        status: 'SUCCESS',
        queue: 'q',
        key,
        seq: line.next,
        payload: 0,
      });
    }
  }

  /** Dead heads that hold their lines are redriven, or discarded. */
  private async help(at: number): Promise<void> {
    if (at > 26 * HOUR_MS && at % HOUR_MS === 0 && this.losesEvents()) await this.fillGaps();
    if (this.scenario.rules.onDeadHead !== 'hold') return;
    const dead = this.truth.items().flatMap(({ id }) => {
      const record = this.record(String(id));
      return record?.status === 'DEAD' && !isUnwanted(record) ? [record.id] : [];
    });
    for (const id of dead) {
      if (chance(this.random, 0.5)) {
        this.raises(id);
        await this.operator().redrive([id]);
      } else await this.operator().discard([id]);
    }
  }

  private written(before: Item | undefined, after: Item | undefined): void {
    const kind = before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY';
    const item = after ?? before;
    if (item) this.cloud.wrote(kind, item, before);
  }

  private record(id: string): BacklogRecord | undefined {
    const item = this.truth.item(id);
    return item && parseRecord(item, this.time.now);
  }

  /** Tells whether only the sweep finds what no event has reached. In all other worlds it never fires. */
  private losesEvents(): boolean {
    return this.hasGivenUp || this.scenario.troubles.lostPermanently > 0 || this.sabotage.lines !== undefined;
  }

  /** The next minute; or, when nothing is left to do but to wait for it, that of the next sweep. */
  private nextTick(at: number): number {
    const isIdle =
      at > 4 * TROUBLED_MS &&
      this.losesEvents() &&
      this.cloud.isQuiet &&
      this.openIds().every((id) => !this.record(id)?.lane);
    return isIdle ? (Math.floor(at / HOUR_MS) + 1) * HOUR_MS : at + TICK_MS;
  }

  private openIds(): string[] {
    return this.truth
      .items()
      .filter(({ status }) => status !== 'SUCCESS' && status !== 'DEAD')
      .map(({ id }) => String(id));
  }

  private isTroubled(): boolean {
    return this.time.now - START < TROUBLED_MS;
  }

  private faults(): Faults {
    return this.isTroubled() ? this.scenario.faults : NO_FAULTS;
  }

  private async fireRule(): Promise<void> {
    const event = { queue: 'q' };
    const end = await this.startRun(event as ArrivalsEvent & RuleEvent);
    this.cloud.ruleRan(event as RuleEvent, end);
  }

  private async startRun({ queue, arrivals }: ArrivalsEvent & RuleEvent): Promise<RunEnd> {
    const actor = this.newActor(arrivals ? 'arrivals' : 'run');
    const deadline = actor.clock.wall() + TIMEOUT_MS;
    const options = this.optionsOf(actor, deadline);
    const target = { ...options.target, queue, ...(arrivals && { arrivals }) };
    const deps = {
      store: faultyStore(this.store, actor, () => this.faults(), this.random),
      ...{ clock: actor.clock, random: this.random },
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    };
    const summary = await invocation(actor, this.time, TIMEOUT_MS, () => run({ ...options, target }, deps));
    if (summary === 'failed') return { ended: 'died', requestId: actor.name };
    return { ended: isTrouble(summary) ? 'failed' : 'well', requestId: actor.name };
  }

  private optionsOf(actor: Actor, deadline: number): RunOptions {
    const { shards, limits } = this.scenario;
    const lanes = ['q', 'q#1', 'q#2'].slice(0, shards);
    return {
      target: {
        queue: 'q',
        lane: 'q',
        lanes,
        shards,
        ...(!this.sabotage.checksNoTurn && { order: 'key' }),
        retryMode: 'perRecord',
      },
      process: (record, context) => this.attempt(actor, record, context),
      policy: POLICY,
      limits: { ...limits, onInsertConcurrency: 3 },
      invocation: actor.name,
      deadline,
      functionTimeoutSeconds: TIMEOUT_MS / 1000,
      tickSeconds: 60,
    };
  }

  private attempt(actor: Actor, record: BacklogRecord, { signal }: AttemptContext): Promise<void> {
    const { id } = record;
    const made = (this.attempts.get(id) ?? 0) + 1;
    this.attempts.set(id, made);
    const plan = this.scenario.records.find((planned) => planned.id === id);
    const end = this.witness.begins(actor.name, record);
    return new Promise((resolve, reject) => {
      let isOver = false;
      const over = (act: () => void) => {
        if (isOver) return;
        isOver = true;
        end();
        act();
      };
      signal.addEventListener('abort', () => over(() => reject(signal.reason)));
      actor.step(plan?.durationMs ?? 100, () =>
        over(() => (made <= (plan?.failures ?? 0) ? reject(new Error('down')) : resolve())),
      );
    });
  }
}
