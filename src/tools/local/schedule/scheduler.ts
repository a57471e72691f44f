import type { ClockSetting } from '../../../clock.js';
import type { LocalRule } from '../template/local-app.js';
import { countFirings } from './schedule.js';
import type { Timekeeper } from './timekeeper.js';

/** One firing of a rule. */
export interface Firing {
  readonly rule: LocalRule;
  /** When it was due, in the backlog's time. */
  readonly at: number;
  /** Firings of the same rule that had passed meanwhile, and that this one stands for. */
  readonly coalesced: number;
}

export interface SchedulerOptions {
  readonly rules: readonly LocalRule[];
  readonly time: Pick<Timekeeper, 'clock' | 'phases'> & {
    readonly setting: Pick<ClockSetting, 'speed'>;
  };
  /** Starts the rule's function; settles when it has ended. */
  readonly fire: (firing: Firing) => Promise<void>;
}

interface Turn {
  readonly rule: LocalRule;
  createdAt: number;
  /** Undefined: it will not fire again. */
  next: number | undefined;
  running: number;
  /** Passed while it could not start. */
  missed: number;
}

/** Runs of one rule overlap, as in the cloud, unless its ticks are closer than this in real time. */
const OVERLAP_FROM_MS = 1_000;
const MAX_TIMEOUT_MS = 60_000;

/**
 * Fires the rules on the backlog's clock. A rule is late rather than repeated: what passed while the runtime was frozen,
 * or faster than it can start, is made up for by one firing. So is what a clock jumps over that is set forward,
 * and after one that is set back, no rule waits for longer than two of its intervals.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #turns: Turn[];
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  /** What the clock showed at the last look. */
  #seen: number;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    const { clock, phases } = options.time;
    const now = clock.now();
    this.#seen = now;
    this.#turns = options.rules
      .filter((rule) => rule.enabled)
      .map((rule) => {
        const phase = phases.get(rule.id) ?? { createdAt: now };
        phases.set(rule.id, phase);
        // What fires at its creation has not done so before.
        const next = rule.schedule.next(phase.lastFiredAt ?? phase.createdAt - 1, phase.createdAt);
        return { rule, createdAt: phase.createdAt, next, running: 0, missed: 0 };
      });
  }

  start(): void {
    this.#tick();
  }

  /** No firing starts any more. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** When a rule fires next, in the backlog's time. */
  nextOf(ruleId: string): number | undefined {
    return this.#turns.find(({ rule }) => rule.id === ruleId)?.next;
  }

  #tick(): void {
    if (this.#stopped) return;
    const now = this.#options.time.clock.now();
    const wentBack = now < this.#seen;
    this.#seen = now;
    for (const turn of this.#turns) {
      if (wentBack) stepBack(turn, now);
      if (turn.next !== undefined && turn.next <= now) this.#due(turn, now);
    }
    const next = Math.min(...this.#turns.map((turn) => turn.next ?? Number.POSITIVE_INFINITY));
    const waitMs = Math.ceil((next - now) / this.#options.time.setting.speed);
    this.#timer = setTimeout(() => this.#tick(), Math.min(Math.max(1, waitMs), MAX_TIMEOUT_MS));
  }

  #due(turn: Turn, now: number): void {
    const at = turn.next ?? now;
    const { schedule } = turn.rule;
    turn.next = schedule.next(now, turn.createdAt);
    const passed = countFirings(schedule, at, now, turn.createdAt);
    if (turn.running > 0 && this.#tooClose(turn)) {
      turn.missed += 1 + passed;
      return;
    }
    this.#fire(turn, at, passed);
  }

  /** Ticks this close overlap only because the clock is fast: runs keep their real length. */
  #tooClose({ rule: { schedule } }: Turn): boolean {
    const { everyMs = 60_000 } = schedule;
    return everyMs / this.#options.time.setting.speed < OVERLAP_FROM_MS;
  }

  #fire(turn: Turn, at: number, passed: number): void {
    const { phases, clock } = this.#options.time;
    const coalesced = turn.missed + passed;
    turn.missed = 0;
    turn.running += 1;
    phases.set(turn.rule.id, { createdAt: turn.createdAt, lastFiredAt: clock.now() });
    void this.#options.fire({ rule: turn.rule, at, coalesced }).finally(() => {
      turn.running -= 1;
      if (turn.missed === 0 || turn.running > 0 || this.#stopped) return;
      turn.missed -= 1;
      this.#fire(turn, clock.now(), 0);
    });
  }
}

/**
 * A clock that had jumped forth let a rule fire, and put its next turn far ahead; when the clock is corrected, the rule
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
