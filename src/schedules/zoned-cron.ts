import type { Cron } from './cron.js';
import type { WallClock } from './wall-clock.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Length of the stretch that is searched for a change of the clocks: longer than any change is. */
const STRETCH_MS = 2 * DAY_MS;

/**
 * The times of a cron expression by the clock of a time zone. None is lost when the clocks are changed:
 *
 * - They go forward: the times that are left out happen at the instant of the change, all of them once.
 * - They go back: a time that is shown twice happens the first time. If the expression covers all 24 hours, it happens
 *   both times, because each hour that passes counts.
 */
export class ZonedCron {
  readonly #cron: Cron;
  readonly #clock: WallClock;

  constructor(cron: Cron, clock: WallClock) {
    this.#cron = cron;
    this.#clock = clock;
  }

  /** The first occurrence after a time, epoch milliseconds. */
  next(after: number): number | undefined {
    let from = Math.floor(after / MINUTE_MS) * MINUTE_MS;
    for (;;) {
      const end = from + STRETCH_MS;
      const offset = this.#clock.offsetAt(from);
      const change = this.#clock.changeWithin(from, end);
      const shown = this.#nextShown(Math.max(from + offset, this.#repeatedUntil(from, offset)));
      const instant = shown === undefined ? Number.POSITIVE_INFINITY : shown - offset;
      if (instant < (change ?? end + MINUTE_MS)) return instant;
      if (change !== undefined) {
        if (this.#happensAt(change)) return change;
        from = change;
      } else {
        if (shown === undefined) return undefined;
        // No time is shown before that one, but the offset may be another one by then.
        from = Math.max(end, instant - STRETCH_MS);
      }
    }
  }

  #nextShown(after: number): number | undefined {
    return this.#cron.next(after, 0);
  }

  /** Tells whether an occurrence is at the very change: of a time that is left out, or of the first one after it. */
  #happensAt(change: number): boolean {
    const before = this.#clock.offsetAt(change - MINUTE_MS);
    const offset = this.#clock.offsetAt(change);
    if (offset < before && !this.#cron.coversAllHours) return false;
    const shown = this.#nextShown(change + Math.min(before, offset) - MINUTE_MS);
    return shown !== undefined && shown <= change + offset;
  }

  /** The last local time that has been shown before, where the clocks have gone back and repeats do not count. */
  #repeatedUntil(from: number, offset: number): number {
    if (this.#cron.coversAllHours) return Number.NEGATIVE_INFINITY;
    const dayBefore = from - DAY_MS;
    const before = this.#clock.offsetAt(dayBefore);
    const change = before > offset ? this.#clock.changeWithin(dayBefore, from) : undefined;
    return change === undefined ? Number.NEGATIVE_INFINITY : change + before - MINUTE_MS;
  }
}
