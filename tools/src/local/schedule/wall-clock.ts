import { ConfigurationError } from 'dynamo-backlog';

const DAY_MS = 86_400_000;

/** Shows the local times of a time zone. A local time is represented by the instant at which UTC shows the same. */
export class WallClock {
  readonly #format: Intl.DateTimeFormat;

  /** @throws ConfigurationError if there is no such zone */
  constructor(timeZone: string) {
    try {
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
      throw new ConfigurationError(`expected a time zone such as Europe/Berlin, got "${timeZone}"`, {
        cause: error,
      });
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
}
