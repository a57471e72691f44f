import { type Duration, parseDuration } from '../support/duration.js';
import { ConfigurationError } from '../support/errors.js';
import { show } from '../support/validation.js';

/** The time from which on a record may be attempted. At most one of the two. */
export interface Delay {
  /** The time from now until it may be attempted. Default: none. */
  readonly delay?: Duration | undefined;
  /** The time from which on it may be attempted: a `Date`, or ISO-8601 with its zone such as `"2026-12-24T18:00:00+01:00"`. Default: now. */
  readonly at?: Date | string | undefined;
}

const ISO_WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;
/**
 * The time before which a record is not attempted, epoch milliseconds; undefined for at once.
 *
 * @throws ConfigurationError for both options, a text without unit or zone, or a negative delay
 */
export function availableAtOf({ delay, at }: Delay, now: number): number | undefined {
  if (delay !== undefined && at !== undefined) {
    throw new ConfigurationError('delay, at: expected one of the two, got both');
  }
  if (delay !== undefined) {
    const seconds = parseDuration(delay, 'delay');
    return seconds === 0 ? undefined : now + seconds * 1000;
  }
  return at === undefined ? undefined : parseTime(at, 'at');
}

/** `Date.parse` takes the 30th of February for the 2nd of March. */
function isDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}

/**
 * Epoch milliseconds of a point in time.
 *
 * @throws ConfigurationError for a text without a zone, or what is no time at all
 */
export function parseTime(value: unknown, name: string): number {
  const isText = typeof value === 'string' && ISO_WITH_ZONE.test(value) && isDay(value);
  const time = value instanceof Date ? value.getTime() : isText ? Date.parse(value) : Number.NaN;
  // Beyond the year 9999 the ISO form changes, and would not sort as text any more.
  if (Number.isNaN(time) || time < 0 || time > Date.UTC(9999, 11, 31)) {
    throw new ConfigurationError(
      `${name}: expected a Date or an ISO-8601 time with its zone, such as "2026-12-24T18:00:00Z", got ${show(value)}`,
    );
  }
  return time;
}
