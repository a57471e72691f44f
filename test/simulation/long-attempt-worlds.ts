import '../loaded-limits.js';
import { cancelRecord } from '../../src/client/cancel.js';
import { resolvePolicy, tierBands } from '../../src/policies/index.js';
import type { BacklogRecord, Item } from '../../src/record/index.js';
import { MemoryStore } from '../../src/store/index.js';
import type { OperatorStore } from '../../src/store/operator-store.js';
import { VirtualTime } from '../../src/support/virtual-time.js';
import { type AttemptContext, run } from '../../src/worker/index.js';
import { longAttempts } from '../../src/worker/long-attempts.js';
import { Actor, type Faults, NO_FAULTS } from './actor.js';
import { faultyStore } from './faulty-store.js';
import { between, chance, pick, seededRandom } from './random.js';
import { replacing } from './replacing.js';
import { settled } from './settled.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const MINUTE_MS = 60_000;
const TROUBLED_MS = 60 * MINUTE_MS;
const MAX_MS = 12 * 60 * MINUTE_MS;
const WORKERS = 3;
const RECORDS = 8;
const TROUBLES: Faults = {
  ...NO_FAULTS,
  ...{ kill: 0.004, errorBefore: 0.04, errorAfter: 0.04, repeat: 0.02, slow: 0.05, hang: 0.01 },
};
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Takes a safeguard out. */
export interface LongSabotage {
  readonly store?: (store: OperatorStore) => OperatorStore;
}

/** Ends of a record: its success, or its cancellation. */
function isOver({ status, deadReason }: Item): boolean {
  return status === 'SUCCESS' || (status === 'DEAD' && String(deadReason).startsWith('cancelled: '));
}

/**
 * Worker processes whose attempts take from a second to twenty minutes, beside runs of rules, on one queue. Processes are
 * killed, and requests fail before and after they took effect, come twice, or have no answer for minutes. Producers cancel
 * records at any time. Then all is well, and every record must come to its end. (No process is frozen: it could not tell its attempts to end.)
 */
class LongAttemptWorld {
  readonly violations: string[] = [];
  /** Attempts that went on without their runs. */
  long = 0;
  /** Long attempts that were asked to end, those whose signals were aborted, and those that succeeded all the same. */
  readonly asked = new Set<string>();
  readonly aborted = new Set<string>();
  readonly won = new Set<string>();
  private readonly random: () => number;
  private readonly time = new VirtualTime(START, settled);
  private readonly truth: MemoryStore;
  private readonly store: OperatorStore;
  private readonly underWay = new Map<string, Actor>();
  /** Records whose attempts have succeeded in a process that is alive: it writes their outcomes. */
  private readonly succeeded = new Map<string, Actor>();
  private readonly isProgressive: boolean;
  private readonly shards: number;
  private actors = 0;

  constructor(seed: number, { store = (given) => given }: LongSabotage = {}) {
    this.random = seededRandom(seed);
    this.isProgressive = chance(this.random, 0.4);
    this.shards = pick(this.random, [1, 1, 2]);
    this.truth = new MemoryStore({ clock: this.time.clock() });
    this.store = store(this.truth);
  }

  async play(): Promise<string[]> {
    const { random, time } = this;
    for (let i = 0; i < RECORDS; i++)
      time.after(between(random, 0, TROUBLED_MS / 2), () => this.put(`r${i}`));
    for (let i = 0; i < WORKERS; i++) this.startWorker();
    this.fireRule();
    for (let at = 0; ; at += MINUTE_MS) {
      await time.runUntil(START + at);
      const open = this.truth.items().filter((item) => !isOver(item));
      if (at > TROUBLED_MS && open.length === 0) return this.violations;
      if (at > MAX_MS) return [...this.violations, `still open: ${open.map(({ id }) => id).join(', ')}`];
    }
  }

  private put(id: string): void {
    const at = new Date(this.time.now).toISOString();
    const lane = Number(id.slice(1)) % this.shards === 0 ? 'q' : 'q#1';
    this.truth.put({ id, status: 'NEW', queue: 'q', payload: {}, insertedAt: at, lane, dueAt: at, rev: 'r' });
  }

  /** A producer cancels a record; a minute later, if it has no answer. */
  private cancel(id: string): void {
    const actor = this.newActor('producer');
    const store = faultyStore(this.watched(), actor, this.faults, this.random);
    const deps = { records: store.records, clock: actor.clock, random: this.random };
    cancelRecord(id, 'withdrawn', deps).catch(() => this.time.after(MINUTE_MS, () => this.cancel(id)));
  }

  private readonly faults = (): Faults => (this.time.now - START < TROUBLED_MS ? TROUBLES : NO_FAULTS);

  private newActor(kind: string): Actor {
    const actor = new Actor(`${kind} ${++this.actors}`, this.time, this.random, this.faults);
    // Nothing that it did goes on.
    actor.onKilled = () => {
      for (const ids of [this.underWay, this.succeeded])
        for (const [id, by] of ids) if (by === actor) ids.delete(id);
    };
    return actor;
  }

  /** A process that makes one run after the other; when it is killed, another one is started. */
  private startWorker(): void {
    const { random, time } = this;
    const actor = this.newActor('worker');
    const notice = actor.onKilled;
    actor.onKilled = () => {
      notice();
      time.after(between(random, 0, 60_000), () => this.startWorker());
    };
    const next = () =>
      actor.step(between(random, 4_500, 5_500), () => {
        void this.run(actor, true).finally(next);
      });
    next();
  }

  /** Functions with less time for an attempt. */
  private fireRule(): void {
    const actor = this.newActor('function');
    void this.run(actor, false).finally(() => actor.kill());
    this.time.after(300_000, () => actor.kill());
    if (this.time.now - START < MAX_MS) this.time.after(5 * MINUTE_MS, () => this.fireRule());
  }

  private async run(actor: Actor, isWorker: boolean): Promise<void> {
    const [band] = tierBands([{ every: 60, untilAge: 365 * 86_400 }], 300);
    const { isProgressive, shards } = this;
    await run(
      {
        target: {
          ...{ queue: 'q', lane: 'q', shards, lanes: shards === 1 ? ['q'] : ['q', 'q#1'] },
          retryMode: isProgressive ? 'progressive' : 'perRecord',
          ...(isProgressive ? { band: { ...band, last: true } as NonNullable<typeof band> } : {}),
        },
        process: (record, context) => this.attempt(actor, record, context),
        policy: resolvePolicy(isProgressive ? { type: 'progressive' } : { type: 'constant', interval: 30 }),
        limits: { concurrency: 4, attemptTimeout: isWorker ? 1_000 : 45 },
        deadline: actor.clock.wall() + 300_000,
        functionTimeoutSeconds: 300,
        tickSeconds: 5,
      },
      {
        store: faultyStore(this.watched(), actor, this.faults, this.random),
        clock: actor.clock,
        random: this.random,
        logger: SILENT,
        ...(isWorker && {
          longAttempts: longAttempts((_, ended) => {
            this.long++;
            ended.catch((error) => this.violations.push(`a long attempt threw ${error}`));
          }),
        }),
      },
    ).catch((error) => this.violations.push(`${actor.name} threw ${(error as Error).stack}`));
  }

  private attempt(actor: Actor, { id }: BacklogRecord, { signal }: AttemptContext): Promise<void> {
    const { random } = this;
    const at = Math.round((this.time.now - START) / 1000);
    const other = this.underWay.get(id);
    if (other) this.violations.push(`${at} s: ${actor.name} attempts ${id}, as ${other.name} does`);
    if (this.item(id)?.status === 'SUCCESS')
      this.violations.push(`${at} s: ${id} is attempted after its success`);
    if (this.asked.has(id))
      this.violations.push(`${at} s: ${actor.name} attempts ${id}, which was cancelled`);
    this.underWay.set(id, actor);
    return new Promise((resolve, reject) => {
      let hasEnded = false;
      const end = (act: () => void) => {
        if (hasEnded) return;
        hasEnded = true;
        if (this.underWay.get(id) === actor) this.underWay.delete(id);
        act();
      };
      const succeed = () => {
        this.succeeded.set(id, actor);
        resolve();
      };
      const finishes = chance(random, 0.3);
      signal.addEventListener('abort', () => {
        if (signal.reason.name === 'Cancel') this.aborted.add(id);
        // Some have done their work by then.
        if (signal.reason.name === 'Cancel' && finishes)
          actor.step(between(random, 0, 60_000), () => end(succeed));
        else end(() => reject(signal.reason));
      });
      const ms = pick(random, [1_000, between(random, 1_000, 90_000), between(random, 60_000, 1_200_000)]);
      // Often when it is about to end.
      const leftMs = chance(random, 0.3) ? between(random, ms - 500, ms + 500) : between(random, 30_000, ms);
      if (ms > 40_000 && chance(random, 0.3)) this.time.after(leftMs, () => this.cancel(id));
      actor.step(ms, () => end(chance(random, 0.3) ? () => reject(new Error('scripted')) : succeed));
    });
  }

  private item(id: string): Item | undefined {
    return this.truth.items().find((item) => item.id === id);
  }

  /** The store, with a check that no record is overwritten after its success, and none is cancelled in its place. */
  private watched(): OperatorStore {
    const settle: OperatorStore['records']['settle'] = async (record, change, rev) => {
      const before = this.item(record.id);
      const answer = await this.store.records.settle(record, change, rev);
      if (answer === 'settled' && before?.status === 'SUCCESS' && before.rev !== rev)
        this.violations.push(`${record.id} was written after its success`);
      // A request to cancel leaves the `rev`. After any other write, its process has lost the record.
      if (answer === 'changed' && before?.rev !== record.rev) this.succeeded.delete(record.id);
      if (answer !== 'settled' || before?.rev === rev) return answer;
      const { status, attempts } = change.set;
      const isLost = status === 'DEAD' && attempts !== undefined && this.succeeded.has(record.id);
      if (isLost) this.violations.push(`${record.id} was cancelled after its attempt had succeeded`);
      if (status === 'SUCCESS' && this.asked.has(record.id)) this.won.add(record.id);
      return answer;
    };
    const note: OperatorStore['records']['note'] = async (record, noted) => {
      const answer = await this.store.records.note(record, noted);
      if (answer === 'settled') this.asked.add(record.id);
      return answer;
    };
    return replacing({ records: { settle, note } }, this.store);
  }
}

/** Plays worlds, and gives what is wrong in any of them. */
export async function playLongAttempts(worlds: number, sabotage: LongSabotage = {}, firstSeed = 1) {
  const violations: string[] = [];
  const counts = { long: 0, asked: 0, aborted: 0, won: 0 };
  for (let seed = firstSeed; seed < firstSeed + worlds; seed++) {
    const world = new LongAttemptWorld(seed, sabotage);
    violations.push(...(await world.play()).map((violation) => `seed ${seed}: ${violation}`));
    counts.long += world.long;
    for (const what of ['asked', 'aborted', 'won'] as const) counts[what] += world[what].size;
  }
  return { violations, ...counts };
}
