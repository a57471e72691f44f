import '../loaded-limits.js';
import type { Logger } from '@aws-lambda-powertools/logger';
import { recurringHandler } from '../../functions/recurring/recurring-handler.js';
import type { Item } from '../../src/record/index.js';
import { attemptSchedule } from '../../src/recurring/attempt.js';
import { RecurringRecords } from '../../src/recurring/index.js';
import { MemoryStore } from '../../src/store/index.js';
import type { OperatorStore } from '../../src/store/operator-store.js';
import { VirtualTime } from '../../src/support/virtual-time.js';
import { Actor, type Faults, NO_FAULTS } from './actor.js';
import { faultyStore } from './faulty-store.js';
import { between, chance, pick, seededRandom } from './random.js';
import { settled } from './settled.js';

const START = Date.parse('2026-03-28T22:00:00.000Z');
const MINUTE_MS = 60_000;
const TROUBLED_MS = 240 * MINUTE_MS;
const CALM_MS = 60 * MINUTE_MS;
const TROUBLES: Faults = {
  ...NO_FAULTS,
  ...{
    kill: 0.004,
    freeze: 0.002,
    errorBefore: 0.05,
    errorAfter: 0.05,
    repeat: 0.03,
    slow: 0.05,
    hang: 0.01,
  },
  ...{ throttled: 0.02, lateRepeat: 0.01 },
};
const QUEUES = { recurring: { retryMode: 'perRecord', retry: { type: 'constant', interval: 60 } } };
const SILENT = { debug() {}, info() {}, warn() {}, error() {} } as unknown as Logger;

/** Takes a safeguard out. */
export interface RecurringSabotage {
  readonly store?: (store: OperatorStore) => OperatorStore;
}

/** A recurring record, the minutes at which it is to recur. */
interface Expected {
  readonly name: string;
  readonly schedule: string;
  readonly everyMinutes: number;
  readonly missed: 'one' | 'all';
  readonly isOfTemplate: boolean;
}

/**
 * The function of recurring records on a table whose requests fail before and after they took effect, come twice, late, or have no
 * answer for minutes. Its processes are killed and frozen, and two fire at once. Applications put, pause and resume. Then all is
 * well, and each occurrence must have its record.
 */
class RecurringWorld {
  readonly violations: string[] = [];
  private readonly random: () => number;
  private readonly time = new VirtualTime(START, settled);
  private readonly truth: MemoryStore;
  private readonly store: OperatorStore;
  private readonly expected: Expected[];
  /** Names of those whose pause was acknowledged. */
  private readonly paused = new Set<string>();
  private actors = 0;
  private sandbox: { actor: Actor; invoke: () => Promise<unknown> } | undefined;

  constructor(seed: number, { store = (given) => given }: RecurringSabotage = {}) {
    this.random = seededRandom(seed);
    this.truth = new MemoryStore({ clock: this.time.clock() });
    this.store = store(this.truth);
    this.expected = Array.from({ length: between(this.random, 1, 5) }, (_, i) => this.makeExpected(`r${i}`));
  }

  async play(): Promise<string[]> {
    const { time, expected } = this;
    const end = START + TROUBLED_MS + CALM_MS;
    for (const one of expected) if (!one.isOfTemplate) this.puts(one);
    for (let at = 30_000; at < TROUBLED_MS + CALM_MS; at += MINUTE_MS) time.after(at, () => this.fires());
    await time.runUntil(end);
    for (const one of expected) this.check(one, end);
    return this.violations;
  }

  private makeExpected(name: string): Expected {
    const everyMinutes = pick(this.random, [1, 5, 15, 60]);
    const isCron = chance(this.random, 0.5);
    const cron = everyMinutes === 60 ? 'cron(0 * * * ? *)' : `cron(0/${everyMinutes} * * * ? *)`;
    const unit = everyMinutes === 1 ? 'minute' : 'minutes';
    return {
      name,
      schedule: isCron ? cron : `rate(${everyMinutes} ${unit})`,
      everyMinutes: isCron ? -everyMinutes : everyMinutes,
      missed: pick(this.random, ['one', 'all', 'all']),
      isOfTemplate: chance(this.random, 0.5),
    };
  }

  private readonly faults = (): Faults => (this.time.now - START < TROUBLED_MS ? TROUBLES : NO_FAULTS);

  private newActor(kind: string): Actor {
    return new Actor(`${kind} ${++this.actors}`, this.time, this.random, this.faults);
  }

  private optionsOf({ schedule, missed }: Expected) {
    return { schedule, missed, timeZone: 'Europe/Berlin', queue: 'work' };
  }

  /** An event of the rule, or two of the same minute. */
  private fires(): void {
    if (chance(this.random, 0.02) && this.isTroubled()) return;
    void this.invoke();
    if (chance(this.random, 0.1)) void this.invoke();
  }

  private isTroubled(): boolean {
    return this.faults() !== NO_FAULTS;
  }

  private async invoke(): Promise<void> {
    if (!this.sandbox || this.sandbox.actor.killed || chance(this.random, 0.05))
      this.sandbox = this.newSandbox();
    await this.sandbox.invoke().catch(() => {});
  }

  private newSandbox() {
    const actor = this.newActor('function');
    const template = Object.fromEntries(
      this.expected.filter(({ isOfTemplate }) => isOfTemplate).map((one) => [one.name, this.optionsOf(one)]),
    );
    const handler = recurringHandler({
      attempt: attemptSchedule,
      store: faultyStore(this.store, actor, this.faults, this.random),
      clock: actor.clock,
      random: this.random,
      logger: SILENT,
      emit: () => {},
      env: {
        BACKLOG_TABLE: 'records',
        BACKLOG_CONTROL_TABLE: 'control',
        BACKLOG_FUNCTION_TIMEOUT_SECONDS: '300',
        BACKLOG_QUEUES: JSON.stringify(QUEUES),
        BACKLOG_RECURRING: JSON.stringify(template),
      },
    });
    const invoke = () => {
      const endsAt = this.time.now + 300_000;
      const context = { awsRequestId: actor.name, getRemainingTimeInMillis: () => endsAt - this.time.now };
      return handler({ queue: 'recurring' }, context);
    };
    return { actor, invoke };
  }

  /** An application puts its recurring record, and pauses it now and then, all at the half of a minute, until that is acknowledged. */
  private puts(one: Expected): void {
    const { random, time } = this;
    this.act((recurring) => recurring.put(one.name, this.optionsOf(one)));
    const pauseAt = between(random, 30, 120);
    if (!chance(random, 0.5)) return;
    const reason = 'moving';
    time.after(pauseAt * MINUTE_MS + 20_000, () =>
      this.act(async (recurring) => {
        await recurring.pause(one.name, { reason });
        this.paused.add(one.name);
      }),
    );
    time.after((pauseAt + between(random, 5, 60)) * MINUTE_MS + 20_000, () =>
      this.act((recurring) => recurring.resume(one.name)),
    );
  }

  private act(what: (recurring: RecurringRecords) => Promise<unknown>): void {
    const actor = this.newActor('application');
    const store = faultyStore(this.store, actor, this.faults, this.random);
    const recurring = new RecurringRecords({
      table: 'records',
      store,
      clock: actor.clock,
      random: this.random,
    });
    const again = () => this.time.after(MINUTE_MS, () => this.act(what));
    actor.onKilled = again;
    what(recurring).catch(again);
  }

  private check({ name, missed, everyMinutes }: Expected, end: number): void {
    const schedule = this.truth.item(`recurring:${name}`);
    if (!schedule) return void this.violations.push(`${name}: there is no schedule`);
    const { insertedAt, status, payload } = schedule as Item & { payload: { paused?: Pause } };
    if (this.paused.has(name) && !payload.paused) this.violations.push(`${name}: its pause is lost`);
    if (status !== 'NEW') this.violations.push(`${name}: its schedule is ${status}`);
    const stepMs = Math.abs(everyMinutes) * MINUTE_MS;
    const created = Date.parse(String(insertedAt));
    const first =
      everyMinutes > 0
        ? Math.floor(created / MINUTE_MS) * MINUTE_MS + stepMs
        : (Math.floor(created / stepMs) + 1) * stepMs;
    const isPaused = (at: number) => isPausedBy(payload.paused, at);
    const made = new Set(
      this.truth
        .items()
        .flatMap((item) => (item.recurring === name ? Date.parse(String(item.occurrence)) : [])),
    );
    for (const at of made) {
      const isOne = at >= first && (at - first) % stepMs === 0 && at <= end;
      if (!isOne) this.violations.push(`${name}: has an occurrence at ${new Date(at).toISOString()}`);
      if (isPaused(at))
        this.violations.push(`${name}: has an occurrence at ${new Date(at).toISOString()}, in its pause`);
    }
    for (let at = first; at <= end - 2 * MINUTE_MS; at += stepMs) {
      const isNewest = at > end - 2 * MINUTE_MS - stepMs;
      if (isPaused(at) || made.has(at) || (missed === 'one' && !isNewest)) continue;
      this.violations.push(`${name}: has no occurrence at ${new Date(at).toISOString()}`);
    }
  }
}

interface Pause {
  readonly since: string;
  readonly until?: string;
}

function isPausedBy(pause: Pause | undefined, at: number): boolean {
  return (
    pause !== undefined && at >= Date.parse(pause.since) && !(pause.until && at >= Date.parse(pause.until))
  );
}

/** Plays a world, and returns what must never be. */
export function recurringViolations(seed: number, sabotage?: RecurringSabotage): Promise<string[]> {
  return new RecurringWorld(seed, sabotage).play();
}
