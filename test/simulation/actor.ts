import type { Clock } from '../../src/support/clock.js';
import type { Random } from '../../src/support/random.js';
import type { VirtualTime } from '../../src/support/virtual-time.js';
import { between, chance } from './random.js';

/** Clocks are off by no more, where none is set. */
const SKEW_MS = 2_000;

/** Probabilities that things go wrong, per step of an actor. */
export interface Faults {
  readonly kill: number;
  readonly freeze: number;
  readonly errorBefore: number;
  readonly errorAfter: number;
  /** The SDK repeats a request whose answer was lost: it takes effect twice. */
  readonly repeat: number;
  readonly slow: number;
  /** No answer for minutes: the network swallowed it. */
  readonly hang: number;
  /** Refused by the store for its limits: nothing is written. */
  readonly throttled: number;
  /** A change that a group could not write counts as written: the mistake that its rule is there for. */
  readonly misread?: number | undefined;
  /** A write arrives once more, when others have been made since. */
  readonly lateRepeat: number;
  /** The machine's clock is set. */
  readonly clockJump: number;
}

export const NO_FAULTS: Faults = {
  kill: 0,
  freeze: 0,
  errorBefore: 0,
  errorAfter: 0,
  repeat: 0,
  slow: 0,
  hang: 0,
  throttled: 0,
  lateRepeat: 0,
  clockJump: 0,
};

/**
 * One sandbox at work. Everything it waits for goes through `step`, where it can be killed (nothing ever answers it
 * again) or frozen (the answer comes when it thaws, long after its lease ran out).
 */
export class Actor {
  killed = false;
  /** It was frozen for a while: what it was doing may overlap with its repetition by others. */
  wasFrozen = false;
  /** Its clock was set by more than clocks may differ by. */
  hasJumped = false;
  /** Its clock was set, maybe by less than that. */
  wasSet = false;
  private frozenUntil = 0;
  /** Milliseconds by which its clock is ahead. */
  private skew: number;
  onKilled = () => {};

  constructor(
    readonly name: string,
    private readonly time: VirtualTime,
    private readonly random: Random,
    private readonly faults: () => Faults,
    private readonly mostJumpMs = 0,
  ) {
    this.skew = between(random, -SKEW_MS, SKEW_MS);
  }

  readonly clock: Clock = {
    now: () => this.time.now + this.skew,
    wall: () => this.time.now + this.skew,
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const wake = () => {
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        signal?.addEventListener('abort', wake);
        this.step(milliseconds, wake);
      }),
  };

  get skewMs(): number {
    return this.skew;
  }

  kill(): void {
    if (this.killed) return;
    this.killed = true;
    this.onKilled();
  }

  /** Some time later, unless it is killed by then; when it thaws, if it is frozen then. */
  step(milliseconds: number, action: () => void): void {
    this.time.after(milliseconds, () => {
      if (this.killed) return;
      if (chance(this.random, this.faults().kill)) return this.kill();
      if (chance(this.random, this.faults().freeze)) this.freeze();
      if (this.faults().clockJump > 0 && chance(this.random, this.faults().clockJump)) this.setClock();
      if (this.time.now < this.frozenUntil) return this.step(this.frozenUntil - this.time.now, action);
      action();
    });
  }

  /** Milliseconds until an answer, which may be swallowed for minutes. */
  answerLatencyMs(): number {
    if (chance(this.random, this.faults().hang)) return between(this.random, 20_000, 400_000);
    return this.latencyMs();
  }

  latencyMs(): number {
    return chance(this.random, this.faults().slow)
      ? between(this.random, 1000, 4000)
      : between(this.random, 1, 30);
  }

  /** Freezes the sandbox for so long with whatever it has begun, and kills it some time after it thaws. */
  rest(milliseconds: number, thawedMs: number): void {
    this.frozenUntil = Math.max(this.frozenUntil, this.time.now + milliseconds);
    this.time.after(this.frozenUntil - this.time.now, () => {
      this.wasFrozen = true;
      this.time.after(thawedMs, () => this.kill());
    });
  }

  /** Acts some time later, even if the sandbox is killed by then: what it has sent is on its way. */
  later(milliseconds: number, action: () => void): void {
    this.time.after(milliseconds, action);
  }

  private freeze(): void {
    this.wasFrozen = true;
    this.frozenUntil = this.time.now + between(this.random, 1_000, 200_000);
  }

  private setClock(): void {
    const mostMs = Math.max(SKEW_MS, this.mostJumpMs);
    this.wasSet = true;
    this.skew = between(this.random, -mostMs, mostMs);
    if (Math.abs(this.skew) > SKEW_MS) this.hasJumped = true;
  }
}
