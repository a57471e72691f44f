import { VirtualTime } from '../../src/lab/virtual-time.js';
import { resolvePolicy, type TierBand } from '../../src/policies/index.js';
import { type AttemptContext, type RunSummary, run } from '../../src/processor/index.js';
import { type BacklogRecord, RetryAfter } from '../../src/record/index.js';
import { MemoryStore } from '../../src/store/index.js';
import type { BacklogStore } from '../../src/store/store.js';
import { Actor, NO_FAULTS } from './actor.js';
import { faultyStore } from './faulty-store.js';
import { between, chance, seededRandom } from './random.js';
import {
  FUNCTION_TIMEOUT_SECONDS,
  makeScenario,
  type Scenario,
  TICK_MS,
  TROUBLED_MS,
  WAIT_SECONDS,
} from './scenario.js';
import { actOut, makeScripts, type Script } from './script.js';
import { withStaleIndex } from './stale-index.js';
import { Witness } from './witness.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const LONGEST_MS = 5 * 3_600_000;
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const PER_RECORD = resolvePolicy({ type: 'constant', intervalSeconds: WAIT_SECONDS, jitter: 'none' });
const BY_AGE = resolvePolicy({ type: 'progressive' });

/** Takes a safeguard out, to see that its absence is noticed. */
export type Sabotage = (store: BacklogStore) => BacklogStore;

/**
 * A small world: one queue, some records, rules that fire on time, twice, late or not at all, and runs of the
 * production code that are killed, frozen and cut off from the store at any step. For a while; then all is well, and
 * everything must end.
 */
export class World {
  readonly ended: RunSummary['ended'][] = [];
  private readonly random: () => number;
  private readonly time = new VirtualTime(START);
  private readonly truth: MemoryStore;
  private readonly store: BacklogStore;
  private readonly scripts: Map<string, Script>;
  private readonly scenario: Scenario;
  private readonly witness: Witness;
  private readonly attempts = new Map<string, number>();
  private actors = 0;

  constructor(seed: number, sabotage: Sabotage = (store) => store) {
    this.random = seededRandom(seed);
    this.scenario = makeScenario(this.random);
    this.truth = new MemoryStore({
      clock: { now: () => this.time.now, wall: () => this.time.now, sleep: async () => {} },
    });
    const { maxStaleMs } = this.scenario;
    this.store = sabotage(withStaleIndex(this.truth, () => this.time.now, this.random, maxStaleMs));
    this.scripts = new Map(makeScripts(this.random, TROUBLED_MS).map((script) => [script.id, script]));
    const hasPoison = [...this.scripts.values()].some(({ crashesFirst }) => crashesFirst > 0);
    this.witness = new Witness(this.scenario, hasPoison);
  }

  async play(): Promise<string[]> {
    for (const script of this.scripts.values()) this.schedule(script);
    this.schedulePause();
    for (let tick = 0; ; tick++) {
      const at = tick * TICK_MS;
      if (at > LONGEST_MS) {
        this.witness.report(`still open after ${LONGEST_MS / 60_000} minutes: ${this.openIds().join(', ')}`);
        break;
      }
      if (at > TROUBLED_MS && this.openIds().length === 0) break;
      this.fireRules(at);
      await this.time.runUntil(START + at + TICK_MS);
    }
    await this.time.runUntilQuiet(this.time.now + 10 * TICK_MS);
    this.checkEnds();
    return this.witness.violations;
  }

  private schedule(script: Script): void {
    const put = (version: number, replace: boolean) => {
      const { id } = script;
      const born = this.time.now - script.ageMs;
      const availableAt = script.delayMs === undefined ? undefined : this.time.now + script.delayMs;
      const own = { type: 'constant', intervalSeconds: WAIT_SECONDS, jitter: 'none' };
      const item = {
        id,
        status: 'NEW',
        queue: 'q',
        payload: { version },
        insertedAt: new Date(born).toISOString(),
        lane: 'q',
        dueAt: new Date(availableAt ?? born).toISOString(),
        ...(availableAt === undefined ? {} : { availableAt: new Date(availableAt).toISOString() }),
        ...(script.maxAttempts === undefined ? {} : { retry: { ...own, maxAttempts: script.maxAttempts } }),
      };
      this.witness.appears(id, availableAt ?? this.time.now);
      if (replace) this.truth.put({ ...item, rev: `over-${id}` });
      else void this.store.insert({ ...item, rev: `new-${id}` });
    };
    this.time.after(script.insertAtMs, () => put(1, false));
    if (script.overwriteAtMs !== undefined) {
      this.time.after(script.overwriteAtMs, () => put(2, true));
    }
  }

  private schedulePause(): void {
    const { pause } = this.scenario;
    if (!pause) return;
    this.time.after(pause.fromMs, () => this.truth.setPaused('q', true));
    this.time.after(pause.untilMs, () => this.truth.setPaused('q', false));
  }

  private bandsAt(ms: number): readonly TierBand[] | undefined {
    return this.scenario.ways.findLast(({ fromMs }) => fromMs <= ms)?.bands;
  }

  /** Those whose turn it is, all at once. */
  private fireRules(at: number): void {
    const bands = this.bandsAt(at);
    if (!bands) this.fire(undefined);
    for (const band of bands ?? []) {
      if (at % (band.everySeconds * 1000) !== 0) continue;
      const isLost = this.scenario.losesSlowRule && band.number === 3 && at >= TROUBLED_MS;
      if (!isLost) this.fire(band, band.number === 2 ? bands?.slice(2) : undefined);
    }
  }

  /** Mostly once and a little late; now and then twice, or not at all. */
  private fire(band: TierBand | undefined, catchUp?: readonly TierBand[]): void {
    const { random } = this;
    const isLost = this.isTroubled() && chance(random, 0.05);
    for (const _ of isLost ? [] : chance(random, 0.25) ? [1, 2] : [1]) {
      const late = chance(random, 0.1) ? between(random, 0, 50_000) : between(random, 0, 2_000);
      this.time.after(late, () => this.startRun(band, catchUp));
    }
  }

  private isTroubled(): boolean {
    return this.time.now - START < TROUBLED_MS;
  }

  private startRun(band: TierBand | undefined, catchUp: readonly TierBand[] | undefined): void {
    const faults = () => (this.isTroubled() ? this.scenario.faults : NO_FAULTS);
    const actor = new Actor(`run ${++this.actors}`, this.time, this.random, faults);
    actor.onKilled = () => this.witness.dies(actor);
    const deadline = this.time.now + FUNCTION_TIMEOUT_SECONDS * 1000;
    let done = false;
    this.time.after(FUNCTION_TIMEOUT_SECONDS * 1000, () => {
      if (!actor.killed && !actor.wasFrozen && !done)
        this.witness.report(`${actor.name} did not end before its deadline`);
      actor.kill();
    });
    run(
      {
        target: { queue: 'q', lane: 'q', band, catchUp },
        process: (record, context) => this.process(actor, band, record, context),
        policy: band ? BY_AGE : PER_RECORD,
        limits: this.scenario.limits,
        deadline: deadline + (actor.clock.wall() - this.time.now),
        functionTimeoutSeconds: FUNCTION_TIMEOUT_SECONDS,
        tickSeconds: 60,
      },
      {
        store: faultyStore(this.watched(actor), actor, faults, this.random),
        clock: actor.clock,
        random: this.random,
        logger: SILENT,
      },
    ).then(
      (summary) => {
        done = true;
        this.ended.push(summary.ended);
        this.witness.hears(actor, summary);
      },
      (error) => this.witness.report(`${actor.name} threw ${(error as Error).stack}`),
    );
  }

  private process(
    actor: Actor,
    rule: TierBand | undefined,
    record: BacklogRecord,
    { attempt, signal }: AttemptContext,
  ): Promise<void> {
    const { id } = record;
    const script = this.scripts.get(id);
    if (!script) throw new Error(`no script for ${id}`);
    const { now } = this.time;
    // A run of the second rule may make up for the third.
    const age = now - Date.parse(record.availableAt ?? record.insertedAt);
    const slower = this.scenario.ways.flatMap(({ bands }) => bands ?? []).find(({ number }) => number === 3);
    const caughtUp = rule?.number === 2 && slower && age > rule.untilAgeSeconds * 1000 + 100_000;
    const stored = this.truth.items().find((item) => item.id === id);
    this.witness.begins(actor, record, stored, { now, start: START, band: caughtUp ? slower : rule });
    const made = (this.attempts.get(id) ?? 0) + 1;
    this.attempts.set(id, made);

    return new Promise((resolve, reject) => {
      const end = (act: () => void) => {
        this.witness.ends(actor, id);
        try {
          act();
          resolve();
        } catch (error) {
          if (error instanceof RetryAfter) this.witness.asksToWait(actor, id, error.seconds);
          reject(error);
        }
      };
      let over = false;
      const endOnce = (act: () => void) => {
        if (!over) end(act);
        over = true;
      };
      if (!script.ignoresSignal)
        signal.addEventListener('abort', () =>
          endOnce(() => {
            throw signal.reason;
          }),
        );
      actor.step(made === 1 ? script.firstDurationMs : script.durationMs, () => {
        if (made <= script.crashesFirst) return actor.kill();
        endOnce(() => actOut(script, attempt, this.random));
      });
    });
  }

  /** Looks on while settles take effect. */
  private watched(actor: Actor): BacklogStore {
    const { store } = this;
    return new Proxy(store, {
      get: (_, name) => {
        if (name !== 'settle') {
          const member = store[name as keyof BacklogStore] as unknown;
          return typeof member === 'function' ? member.bind(store) : member;
        }
        const settle: BacklogStore['settle'] = async (record, change, rev) => {
          const before = this.truth.items().find((item) => item.id === record.id);
          const answer = await store.settle(record, change, rev);
          const isNew = answer === 'settled' && before?.rev !== rev;
          if (isNew) this.witness.settles(actor, record, change, before, this.time.now);
          return answer;
        };
        return settle;
      },
    });
  }

  private openIds(): string[] {
    const items = this.truth.items();
    const waiting = [...this.scripts.keys()].filter((id) => !items.some((item) => item.id === id));
    return [
      ...waiting,
      ...items
        .filter((item) => item.status === 'NEW' || item.status === 'ERROR')
        .map((item) => String(item.id)),
    ];
  }

  private checkEnds(): void {
    for (const item of this.truth.items()) {
      const script = this.scripts.get(String(item.id));
      if (!script) continue;
      const good = Number.isFinite(script.failuresFirst) && script.maxAttempts === undefined;
      if (good && script.end === 'success' && item.status !== 'SUCCESS') {
        this.witness.report(`${item.id}: ended ${item.status} (${item.deadReason}), not SUCCESS`);
      }
      if (item.status === 'SUCCESS' && script.end === 'dead')
        this.witness.report(`${item.id}: succeeded, but never did`);
      if (script.crashesFirst === Number.POSITIVE_INFINITY && item.status !== 'DEAD') {
        this.witness.report(`${item.id}: ends its process every time, yet it ended ${item.status}`);
      }
    }
  }
}
