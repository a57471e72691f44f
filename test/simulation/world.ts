import type { TierBand } from '../../src/policies/index.js';
import { resolvePolicy } from '../../src/policies/index.js';
import { type AttemptContext, type RunSummary, run } from '../../src/processor/index.js';
import type { BacklogRecord } from '../../src/record/index.js';
import { MemoryStore } from '../../src/store/index.js';
import type { BacklogStore } from '../../src/store/store.js';
import { VirtualTime } from '../virtual-time.js';
import { Actor, type Faults, NO_FAULTS } from './actor.js';
import { faultyStore } from './faulty-store.js';
import { between, chance, pick, seededRandom } from './random.js';
import { actOut, makeScripts, type Script } from './script.js';
import { withStaleIndex } from './stale-index.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const TICK_MS = 60_000;
const TROUBLED_MS = 10 * TICK_MS;
const LONGEST_MS = 3 * 3_600_000;
const FUNCTION_TIMEOUT_SECONDS = 300;
const MAX_SKEW_MS = 2_000;

/** Takes a safeguard out, to see that its absence is noticed. */
export type Sabotage = (store: BacklogStore) => BacklogStore;

interface Underway {
  readonly actor: Actor;
  readonly version: number;
}

/**
 * A small world: one queue, some records, rules that fire on time, twice or late, and runs of the production code that
 * are killed, frozen and cut off from the store at any step. For a while; then all is well, and everything must end.
 */
export class World {
  readonly violations: string[] = [];
  readonly ended: RunSummary['ended'][] = [];
  private readonly random: () => number;
  private readonly time = new VirtualTime(START);
  private readonly truth: MemoryStore;
  private readonly store: BacklogStore;
  private readonly scripts: Map<string, Script>;
  private readonly underway = new Map<string, Underway[]>();
  private readonly attempts = new Map<string, number>();
  private readonly finished = new Map<string, { by: Actor; at: number }>();
  private readonly troubles: Faults;
  private readonly band: TierBand | undefined;
  private readonly limits;
  private actors = 0;

  constructor(seed: number, sabotage: Sabotage = (store) => store) {
    this.random = seededRandom(seed);
    const { random } = this;
    this.truth = new MemoryStore({
      clock: { now: () => this.time.now, wall: () => this.time.now, sleep: async () => {} },
    });
    this.store = sabotage(
      withStaleIndex(this.truth, () => this.time.now, random, pick(random, [0, 500, 3000])),
    );
    this.scripts = new Map(makeScripts(random, TROUBLED_MS).map((script) => [script.id, script]));
    this.troubles = pick<Faults>(random, [
      NO_FAULTS,
      { kill: 0.02, freeze: 0, errorBefore: 0.01, errorAfter: 0.01, repeat: 0.02, slow: 0.05, hang: 0 },
      { kill: 0, freeze: 0.03, errorBefore: 0, errorAfter: 0, repeat: 0.05, slow: 0.05, hang: 0 },
      { kill: 0.01, freeze: 0.01, errorBefore: 0.05, errorAfter: 0.05, repeat: 0.05, slow: 0.1, hang: 0 },
      { kill: 0, freeze: 0, errorBefore: 0.01, errorAfter: 0.01, repeat: 0.01, slow: 0.05, hang: 0.02 },
    ]);
    this.band = chance(random, 0.4)
      ? { number: 1, everySeconds: 60, fromAgeSeconds: 0, untilAgeSeconds: 864_000, last: true }
      : undefined;
    this.limits = {
      concurrency: pick(random, [1, 2, 10]),
      attemptTimeoutSeconds: pick(random, [5, 30]),
      maxRecords: pick(random, [undefined, undefined, 3]),
      attemptsPerSecond: pick(random, [undefined, undefined, 5]),
    };
  }

  async play(): Promise<string[]> {
    for (const script of this.scripts.values()) this.schedule(script);
    for (let tick = 0; ; tick++) {
      if (tick * TICK_MS > LONGEST_MS) {
        this.violations.push(`still open after ${LONGEST_MS / 60_000} minutes: ${this.openIds().join(', ')}`);
        break;
      }
      if (tick * TICK_MS > TROUBLED_MS && this.openIds().length === 0) break;
      this.fireRule();
      await this.time.runUntil(START + (tick + 1) * TICK_MS);
    }
    await this.time.runUntilQuiet(this.time.now + 10 * TICK_MS);
    this.checkEnds();
    return this.violations;
  }

  private schedule(script: Script): void {
    const put = (version: number, replace: boolean) => {
      const at = new Date(this.time.now).toISOString();
      const retry = script.maxAttempts
        ? { retry: { type: 'constant', intervalSeconds: 60, maxAttempts: script.maxAttempts } }
        : {};
      const item = {
        id: script.id,
        status: 'NEW',
        queue: 'q',
        payload: { version },
        insertedAt: at,
        lane: 'q',
        dueAt: at,
        ...retry,
      };
      if (replace) this.truth.put({ ...item, rev: `over-${script.id}` });
      else void this.store.insert({ ...item, rev: `new-${script.id}` });
    };
    this.time.after(script.insertAtMs, () => put(1, false));
    if (script.overwriteAtMs !== undefined) {
      this.time.after(script.overwriteAtMs, () => put(2, true));
    }
  }

  /** At least once, now and then twice, mostly a little late. */
  private fireRule(): void {
    for (const _ of chance(this.random, 0.25) ? [1, 2] : [1]) {
      this.time.after(
        chance(this.random, 0.1) ? between(this.random, 0, 50_000) : between(this.random, 0, 2_000),
        () => this.startRun(),
      );
    }
  }

  private startRun(): void {
    const faults = () => (this.time.now - START < TROUBLED_MS ? this.troubles : NO_FAULTS);
    const actor = new Actor(`run ${++this.actors}`, this.time, this.random, faults);
    actor.onKilled = () => this.forget(actor);
    const deadline = this.time.now + FUNCTION_TIMEOUT_SECONDS * 1000;
    this.time.after(FUNCTION_TIMEOUT_SECONDS * 1000, () => {
      if (!actor.killed && !actor.wasFrozen && !done)
        this.violations.push(`${actor.name} did not end before its deadline`);
      actor.kill();
    });
    let done = false;
    const silent = { debug() {}, info() {}, warn() {}, error() {} };
    run(
      {
        target: { queue: 'q', lane: 'q', band: this.band },
        process: (record, context) => this.process(actor, record, context),
        policy: resolvePolicy(
          this.band ? { type: 'progressive' } : { type: 'constant', intervalSeconds: 60, jitter: 'none' },
        ),
        limits: this.limits,
        deadline: deadline + (actor.clock.wall() - this.time.now),
        functionTimeoutSeconds: FUNCTION_TIMEOUT_SECONDS,
        tickSeconds: 60,
      },
      {
        store: faultyStore(this.watched(actor), actor, faults, this.random),
        clock: actor.clock,
        random: this.random,
        logger: silent,
      },
    ).then(
      (summary) => {
        done = true;
        this.ended.push(summary.ended);
      },
      (error) => this.violations.push(`${actor.name} threw ${(error as Error).stack}`),
    );
  }

  private process(actor: Actor, record: BacklogRecord, { attempt, signal }: AttemptContext): Promise<void> {
    const script = this.scripts.get(record.id);
    if (!script) throw new Error(`no script for ${record.id}`);
    const stored = this.truth.items().find((item) => item.id === record.id);
    const version = (record.payload as { version: number }).version;
    const others = (this.underway.get(record.id) ?? []).filter((other) => !other.actor.wasFrozen);
    if (others.length > 0)
      this.violations.push(
        `${record.id}: two attempts at once, by ${others[0]?.actor.name} and ${actor.name}`,
      );
    const isOver = stored?.status === 'SUCCESS' || stored?.status === 'DEAD';
    if (isOver && !this.wasJustFinishedByTheThawed(record.id)) {
      this.violations.push(`${record.id}: attempted by ${actor.name} after ${stored.status} was settled`);
    }
    if (this.isEarly(record))
      this.violations.push(`${record.id}: attempted by ${actor.name} before it was due`);
    const me = { actor, version };
    this.underway.set(record.id, [...(this.underway.get(record.id) ?? []), me]);
    const made = (this.attempts.get(record.id) ?? 0) + 1;
    this.attempts.set(record.id, made);

    return new Promise((resolve, reject) => {
      const end = (act: () => void) => {
        this.underway.set(
          record.id,
          (this.underway.get(record.id) ?? []).filter((other) => other !== me),
        );
        try {
          act();
          resolve();
        } catch (error) {
          reject(error);
        }
      };
      if (!script.ignoresSignal)
        signal.addEventListener('abort', () =>
          end(() => {
            throw signal.reason;
          }),
        );
      actor.step(made === 1 ? script.firstDurationMs : script.durationMs, () => {
        if (made <= script.crashesFirst) return actor.kill();
        end(() => actOut(script, attempt, this.random));
      });
    });
  }

  /** Who was frozen past its lease may overlap its repetition, and even settle between its read and its start. */
  private wasJustFinishedByTheThawed(id: string): boolean {
    const finish = this.finished.get(id);
    return finish?.by.wasFrozen === true && this.time.now - finish.at < 10_000;
  }

  private isEarly(record: BacklogRecord): boolean {
    const { now } = this.time;
    if (!this.band) return Date.parse(record.dueAt ?? '') > now + MAX_SKEW_MS;
    return now - Date.parse(record.lastAttemptAt ?? '') < TICK_MS / 2 - 2 * MAX_SKEW_MS;
  }

  /** Looks on while settles take effect: a success must be of the version that the attempt has read. */
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
          const stored = before?.payload as { version: number } | undefined;
          const read = record.payload as { version: number };
          if (answer === 'settled' && stored?.version !== read.version) {
            this.violations.push(
              `${record.id}: an attempt of version ${read.version} settled version ${stored?.version}`,
            );
          }
          if (answer === 'settled' && before?.status === 'SUCCESS' && before.rev !== rev) {
            this.violations.push(`${record.id}: settled again after its success`);
          }
          const isEnd = change.set.status === 'SUCCESS' || change.set.status === 'DEAD';
          if (answer === 'settled' && isEnd) this.finished.set(record.id, { by: actor, at: this.time.now });
          return answer;
        };
        return settle;
      },
    });
  }

  private forget(actor: Actor): void {
    for (const [id, list] of this.underway)
      this.underway.set(
        id,
        list.filter((other) => other.actor !== actor),
      );
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
        this.violations.push(`${item.id}: ended ${item.status} (${item.deadReason}), not SUCCESS`);
      }
      if (item.status === 'SUCCESS' && script.end === 'dead')
        this.violations.push(`${item.id}: succeeded, but never did`);
      if (script.crashesFirst === Number.POSITIVE_INFINITY && item.status !== 'DEAD') {
        this.violations.push(`${item.id}: ends its process every time, yet it ended ${item.status}`);
      }
    }
  }
}
