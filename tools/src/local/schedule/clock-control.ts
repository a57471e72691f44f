import type { ClockSetting } from 'dynamo-backlog/engine';
import type { Scheduler } from './scheduler.js';
import type { ClockChange, Timekeeper } from './timekeeper.js';

/** Result of advancing the clock. */
export interface Advance {
  /** The backlog's time to which it went, epoch milliseconds. */
  readonly at: number;
  /** Ids of the rules that fired, in order. */
  readonly rules: readonly string[];
  /** Resolves when their runs have ended. */
  readonly ended: Promise<void>;
}

export interface ClockControlDeps {
  readonly time: Pick<Timekeeper, 'change' | 'clock' | 'setting'>;
  readonly scheduler: Pick<Scheduler, 'wait' | 'goOn' | 'fireDue' | 'next'>;
  /** Sets the clocks of the functions. */
  readonly tellFunctions: (setting: ClockSetting) => Promise<void>;
  /** Called after each change. */
  readonly onChange: () => Promise<unknown>;
}

/** Changes the backlog's clock while the runtime is at work, one change after the other. */
export class ClockControl {
  #last: Promise<unknown> = Promise.resolve();
  #stopped = false;
  #askedSpeed: number;

  constructor(private readonly deps: ClockControlDeps) {
    this.#askedSpeed = deps.time.setting.speed;
  }

  /** The speed that was asked for. The clock is slower while the machine cannot keep up. */
  get askedSpeed(): number {
    return this.#askedSpeed;
  }

  /** Resolves when all follow it. A rule that is due by then fires first. */
  change(change: Omit<ClockChange, 'to'>): Promise<void> {
    return this.#inTurn(async () => {
      await this.#change(change);
      this.#askedSpeed = change.speed ?? this.#askedSpeed;
    });
  }

  /** Lets the clock go at this speed, or at that which was asked for meanwhile, if that is lower. */
  limit(speed: number): Promise<void> {
    return this.#inTurn(() => this.#change({ speed: Math.min(speed, this.#askedSpeed) }));
  }

  /** Goes to when the next rule fires, and fires what is due there. Undefined: no rule is to fire. */
  advance(): Promise<Advance | undefined> {
    return this.#inTurn(async () => {
      const { scheduler, time } = this.deps;
      const to = scheduler.next;
      if (to === undefined) return undefined;
      let firings: ReturnType<Scheduler['fireDue']> = [];
      await this.#change({ to }, () => {
        firings = scheduler.fireDue();
      });
      return {
        at: time.clock.now(),
        rules: firings.map(({ rule }) => rule.id),
        ended: Promise.all(firings.map(({ run }) => run)).then(() => {}),
      };
    });
  }

  /** Resolves when the last change is over. There are none after it. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#last;
  }

  async #change(change: ClockChange, then: () => void = () => {}): Promise<void> {
    const { time, scheduler, tellFunctions, onChange } = this.deps;
    // No run starts on a clock that is frozen only for the change.
    scheduler.wait();
    try {
      await time.change(change, tellFunctions);
      then();
    } finally {
      scheduler.goOn();
    }
    await onChange();
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() => {
      if (this.#stopped) throw new Error('the runtime is stopping');
      return action();
    });
    this.#last = result.catch(() => {});
    return result;
  }
}
