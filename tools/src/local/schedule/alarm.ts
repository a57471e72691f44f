import type { ClockSetting } from 'dynamo-backlog/engine';
import type { Timekeeper } from './timekeeper.js';

const MAX_TIMEOUT_MS = 60_000;

/** Waits for a time of the backlog, even if its clock is changed meanwhile. */
export class Alarm {
  readonly #waiting = new Set<{ readonly at: number; readonly ring: () => void }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly time: Pick<Timekeeper, 'clock'> & {
      readonly setting: Pick<ClockSetting, 'speed' | 'paused'>;
    },
  ) {}

  /** Resolves when the clock shows that time, epoch milliseconds, or a later one. */
  reached(at: number): Promise<void> {
    return new Promise((ring) => {
      this.#waiting.add({ at, ring });
      this.look();
    });
  }

  /** Looks at the clock, which may have been changed. */
  look(): void {
    clearTimeout(this.#timer);
    const { clock, setting } = this.time;
    const now = clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const one of this.#waiting) {
      if (one.at > now) next = Math.min(next, one.at);
      else if (this.#waiting.delete(one)) one.ring();
    }
    if (this.#waiting.size === 0 || setting.paused) return;
    const waitMs = Math.ceil((next - now) / setting.speed);
    this.#timer = setTimeout(() => this.look(), Math.min(Math.max(1, waitMs), MAX_TIMEOUT_MS));
  }

  /** Stops: no wait ends any more. */
  stop(): void {
    this.#waiting.clear();
    clearTimeout(this.#timer);
  }
}
