import { ConfigurationError } from '../support/errors.js';
import { show } from '../support/validation.js';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Shows the local times of a time zone. A local time is represented by the instant at which UTC shows the same. */
export class WallClock {
  readonly #format: Intl.DateTimeFormat;

  /** @throws ConfigurationError if there is no such zone */
  constructor(timeZone: string) {
    try {
      // New versions of Node.js take offsets such as "+01:00", too, which EventBridge does not.
      if (!/^[a-z]/i.test(timeZone)) throw new RangeError('not the name of a time zone');
      this.#format = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
        timeZone,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      });
    } catch (error) {
      throw new ConfigurationError(
        `timeZone: expected a time zone such as Europe/Berlin, got ${show(timeZone)}`,
        { cause: error },
      );
    }
  }

  shownAt(instant: number): number {
    const parts = this.#format.formatToParts(instant);
    const part = (type: Intl.DateTimeFormatPartTypes) =>
      Number(parts.find((one) => one.type === type)?.value);
    const seconds = Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    );
    return seconds + (instant - Math.floor(instant / 1000) * 1000);
  }

  /** The first instant at which it is shown; `undefined` for a time that is left out when the clocks go forward. */
  firstShowing(shown: number): number | undefined {
    // The clocks are changed once within two days at most: the zone's distance to UTC is the one before or the one
    // after.
    return [shown - DAY_MS, shown + DAY_MS]
      .map((near) => shown - (this.shownAt(near) - near))
      .sort((a, b) => a - b)
      .find((instant) => this.shownAt(instant) === shown);
  }

  /** The first local time that is shown after one that is left out when the clocks go forward. */
  endOfGap(leftOut: number): number {
    const minute = Math.floor(leftOut / MINUTE_MS) * MINUTE_MS;
    const change = this.changeWithin(minute - DAY_MS, minute + DAY_MS);
    return change === undefined ? leftOut : this.shownAt(change);
  }

  /** The distance of its local time to UTC in milliseconds, as whole minutes: only Liberia had seconds, until 1972. */
  offsetAt(instant: number): number {
    return Math.floor((this.shownAt(instant) - instant) / MINUTE_MS) * MINUTE_MS;
  }

  /**
   * The first minute that has another offset than `from`, where `until` has another one; both are whole minutes. Between
   * them, the clocks are changed once at most.
   */
  changeWithin(from: number, until: number): number | undefined {
    const offset = this.offsetAt(from);
    if (this.offsetAt(until) === offset) return undefined;
    let [before, change] = [from, until];
    while (change - before > MINUTE_MS) {
      const middle = before + Math.floor((change - before) / 2 / MINUTE_MS) * MINUTE_MS;
      if (this.offsetAt(middle) === offset) before = middle;
      else change = middle;
    }
    return change;
  }
}
