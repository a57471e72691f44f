import { type ClockSetting, countFirings } from 'dynamo-backlog/engine';
import type { LocalRule } from '../template/local-app.js';
import type { Timekeeper } from './timekeeper.js';

/** One firing of a rule. */
export interface Firing {
  readonly rule: LocalRule;
  /** Time when it was due, in the backlog's time. */
  readonly at: number;
  /** Firings of the same rule that had passed meanwhile, and that this one stands for. */
  readonly coalesced: number;
}

export interface SchedulerOptions {
  readonly rules: readonly LocalRule[];
  readonly time: Pick<Timekeeper, 'clock' | 'phases'> & {
    readonly setting: Pick<ClockSetting, 'speed' | 'paused'>;
  };
  /** Starts the rule's function; settles when it has ended. */
  readonly fire: (firing: Firing) => Promise<void>;
}

interface Turn {
  rule: LocalRule;
  createdAt: number;
  /** Time of the next firing. Undefined: it will not fire again. */
  next: number | undefined;
  running: number;
  /** Real time at which its last run began. */
  startedAt: number;
  /** Firings that have passed while it could not start. */
  missed: number;
}

/** Runs of one rule overlap, as in the cloud, unless its ticks are closer than this in real time. */
const OVERLAP_FROM_MS = 1_000;
const MAX_TIMEOUT_MS = 60_000;
/** Real time by which a start, or the end of a run that others wait for, may be late. */
const BEHIND_MS = 1_000;
/** A start that is later than this is of a machine that was asleep. */
const ASLEEP_MS = 60_000;
/** Runs of a rule that may overlap: one that works off much, and the next one, which finds the queue taken. */
const MAX_RUNS = 2;

/**
 * Fires the rules on the backlog's clock. A rule is late rather than repeated: what passed while the runtime was frozen,
 * or faster than it can start, is made up for by one firing. So is what a clock jumps over that is set forward,
 * and after one that is set back, no rule waits for longer than two of its intervals. While the clock is paused, no rule
 * fires by itself.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  #turns: Turn[];
  #timer: NodeJS.Timeout | undefined;
  #started = false;
  #stopped = false;
  /** True until it is started, and while the clock is being changed. */
  #waiting = true;
  /** Time that the clock showed at the last look. */
  #seen: number;
  /** A run has begun or ended late since the last `isBehind`. */
  #isLate = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    const now = options.time.clock.now();
    this.#seen = now;
    this.#turns = options.rules.filter(({ enabled }) => enabled).map((rule) => this.#turnOf(rule, now));
  }

  start(): void {
    this.#started = true;
    this.goOn();
  }

  /** Stops: no firing starts any more. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /**
   * Fires these rules from now on. One that stays keeps its phase, also if it fires more or less often than before;
   * what passed while a rule was disabled is not made up for.
   */
  replace(rules: readonly LocalRule[]): void {
    const now = this.#options.time.clock.now();
    const previous = new Map(this.#turns.map((turn) => [turn.rule.id, turn]));
    this.#turns = rules
      .filter(({ enabled }) => enabled)
      .map((rule) => {
        if (!this.#options.time.phases.has(rule.id)) return this.#turnOf(rule, now);
        const turn = previous.get(rule.id) ?? this.#turnOf(rule, now);
        const isDue = previous.delete(rule.id) && turn.next !== undefined && turn.next <= now;
        turn.rule = rule;
        if (!isDue) turn.next = rule.schedule.next(now, turn.createdAt);
        return turn;
      });
    for (const turn of previous.values()) turn.missed = 0;
    this.#tick();
  }

  /** Returns when a rule fires next, in the backlog's time. */
  nextOf(ruleId: string): number | undefined {
    return this.#turns.find(({ rule }) => rule.id === ruleId)?.next;
  }

  /** Time when the next of all rules fires, in the backlog's time. Undefined: none will. */
  get next(): number | undefined {
    const next = this.#earliest();
    return Number.isFinite(next) ? next : undefined;
  }

  /** Tells whether runs could not start or end as fast as the clock goes, since the last time that it was asked. */
  isBehind(): boolean {
    const isLate = this.#isLate;
    this.#isLate = false;
    return isLate || this.#turns.some((turn) => turn.running > MAX_RUNS || this.#isAwaited(turn));
  }

  /** Tells whether firings have waited for long for the end of a run. */
  #isAwaited({ missed, startedAt }: Turn): boolean {
    return missed > 0 && this.#options.time.clock.wall() - startedAt > BEHIND_MS;
  }

  /** Fires nothing until `goOn`: the clock is about to be changed. */
  wait(): void {
    clearTimeout(this.#timer);
    this.#waiting = true;
  }

  /** Fires again. The clock may have been changed. */
  goOn(): void {
    this.#waiting = !this.#started;
    this.#tick();
  }

  /**
   * Fires what is due now, also while the clock is paused, and beside runs of the same rules that are still at work.
   *
   * @returns the firings in order, and their runs
   */
  fireDue(): readonly { readonly rule: LocalRule; readonly run: Promise<void> }[] {
    if (!this.#started || this.#stopped) return [];
    const now = this.#options.time.clock.now();
    this.#seen = Math.max(this.#seen, now);
    return this.#dueAt(now).map((turn) => {
      const { at, passed } = passTo(turn, now);
      return { rule: turn.rule, run: this.#fire(turn, at, passed) };
    });
  }

  #turnOf(rule: LocalRule, now: number): Turn {
    const { phases } = this.#options.time;
    const phase = phases.get(rule.id) ?? { createdAt: now };
    phases.set(rule.id, phase);
    // What fires at its creation has not done so before.
    const next = rule.schedule.next(phase.lastFiredAt ?? phase.createdAt - 1, phase.createdAt);
    return { rule, createdAt: phase.createdAt, next, running: 0, startedAt: 0, missed: 0 };
  }

  #tick(): void {
    clearTimeout(this.#timer);
    const { clock, setting } = this.#options.time;
    if (this.#stopped || this.#waiting || setting.paused) return;
    const now = clock.now();
    if (now < this.#seen) for (const turn of this.#turns) stepBack(turn, now);
    const due = this.#dueAt(now);
    // Firings due before the last look waited for something else, such as the start of the runtime.
    const lateMs = (now - Math.max(this.#seen, due[0]?.next ?? now)) / setting.speed;
    if (lateMs > BEHIND_MS && lateMs < ASLEEP_MS) this.#isLate = true;
    this.#seen = now;
    for (const turn of due) this.#due(turn, now);
    for (const turn of this.#turns) this.#makeUp(turn);
    const waitMs = Math.ceil((this.#earliest() - now) / setting.speed);
    this.#timer = setTimeout(() => this.#tick(), Math.min(Math.max(1, waitMs), MAX_TIMEOUT_MS));
  }

  #earliest(): number {
    return Math.min(...this.#turns.map((turn) => turn.next ?? Number.POSITIVE_INFINITY));
  }

  /** The one that has been due for the longest first. */
  #dueAt(now: number): Turn[] {
    const due = this.#turns.filter(({ next }) => next !== undefined && next <= now);
    return due.sort((a, b) => (a.next ?? 0) - (b.next ?? 0));
  }

  #due(turn: Turn, now: number): void {
    const { at, passed } = passTo(turn, now);
    if (turn.running > 0 && this.#tooClose(turn)) {
      turn.missed += 1 + passed;
      return;
    }
    void this.#fire(turn, at, passed);
  }

  /** Ticks this close overlap only because the clock is fast: runs keep their real length. */
  #tooClose({ rule: { schedule } }: Turn): boolean {
    const { everyMs = 60_000 } = schedule;
    return everyMs / this.#options.time.setting.speed < OVERLAP_FROM_MS;
  }

  #fire(turn: Turn, at: number, passed: number): Promise<void> {
    const { phases, clock } = this.#options.time;
    const coalesced = turn.missed + passed;
    turn.missed = 0;
    turn.running += 1;
    turn.startedAt = clock.wall();
    phases.set(turn.rule.id, { createdAt: turn.createdAt, lastFiredAt: clock.now() });
    return this.#options.fire({ rule: turn.rule, at, coalesced }).finally(() => {
      this.#isLate ||= this.#isAwaited(turn);
      turn.running -= 1;
      this.#makeUp(turn);
    });
  }

  /** Fires once for all that could not start while the last one ran. */
  #makeUp(turn: Turn): void {
    const { clock, setting } = this.#options.time;
    if (turn.missed === 0 || turn.running > 0) return;
    if (this.#stopped || this.#waiting || setting.paused) return;
    turn.missed -= 1;
    void this.#fire(turn, clock.now(), 0);
  }
}

/** Moves a turn to its next firing, after now. Returns when it was due, and how many more firings have passed. */
function passTo(turn: Turn, now: number): { readonly at: number; readonly passed: number } {
  const { schedule } = turn.rule;
  const at = turn.next ?? now;
  turn.next = schedule.next(now, turn.createdAt);
  return { at, passed: countFirings(schedule, at, now, turn.createdAt) };
}

/**
 * A clock that had jumped forward let a rule fire, and put its next turn far ahead; when the clock is corrected, the rule
 * would rest until then. What has fired a moment ago, before a small step back, does not fire again.
 */
function stepBack(turn: Turn, now: number): void {
  const { schedule } = turn.rule;
  const { everyMs } = schedule;
  // A rate counts from its creation, which may be ahead of the clock now: the phase is kept.
  if (everyMs !== undefined && turn.createdAt > now) {
    turn.createdAt -= Math.ceil((turn.createdAt - now) / everyMs) * everyMs;
  }
  const first = schedule.next(now, turn.createdAt);
  if (first === undefined) return;
  const second = schedule.next(first, turn.createdAt) ?? Number.POSITIVE_INFINITY;
  if ((turn.next ?? Number.POSITIVE_INFINITY) > second) turn.next = first;
}
