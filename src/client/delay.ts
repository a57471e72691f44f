import { ConfigurationError } from '../errors.js';
import { show } from '../validation.js';

/** When a new record may be attempted first. At most one of the two. */
export interface Delay {
  /**
   * From now: seconds as a number, text with a unit such as `"90s"`, `"5m"`, `"2h"`, `"3d"`, or an ISO-8601 duration
   * such as `"PT2H"` or `"P3DT12H"`.
   */
  readonly wait?: number | string | undefined;
  /** A point in time: a `Date`, or ISO-8601 with its zone such as `"2026-12-24T18:00:00+01:00"`. */
  readonly at?: Date | string | undefined;
}

const UNIT_SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const DURATION = /^(\d+(?:\.\d+)?)(s|m|h|d)$/;
/** Weeks, days, hours, minutes, seconds. Years and months have no length of their own. */
const ISO_DURATION =
  /^P(?=[\dT])(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?=\d)(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const ISO_UNIT_SECONDS = [7 * 86_400, 86_400, 3_600, 60, 1];
const ISO_WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;
/** A century, its leap days included. */
const LONGEST_SECONDS = 36_525 * 86_400;

/**
 * The time before which a record is not attempted, epoch milliseconds; undefined for at once.
 *
 * @throws ConfigurationError for both options, a text without unit or zone, or a negative wait
 */
export function availableAtOf({ wait, at }: Delay, now: number): number | undefined {
  if (wait !== undefined && at !== undefined) {
    throw new ConfigurationError('wait, at: expected one of the two, got both');
  }
  if (wait !== undefined) {
    const seconds = parseDurationSeconds(wait, 'wait');
    return seconds === 0 ? undefined : now + seconds * 1000;
  }
  return at === undefined ? undefined : parseTime(at, 'at');
}

/**
 * Seconds of a duration: a number of seconds, or text with a unit. "5" is no duration: five of what?
 *
 * @throws ConfigurationError for what is none, or longer than a century
 */
export function parseDurationSeconds(value: unknown, name: string): number {
  const seconds = typeof value === 'number' ? value : parseDurationText(value);
  if (seconds === undefined || !(seconds >= 0 && seconds <= LONGEST_SECONDS)) {
    throw new ConfigurationError(
      `${name}: expected seconds as a number of 0 or more, or a duration such as "90s", "5m", "2h", "3d" or "PT2H" ` +
        `(no years or months: their length varies), a century at most, got ${show(value)}`,
    );
  }
  return seconds;
}

function parseDurationText(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const [, amount, unit] = DURATION.exec(value) ?? [];
  if (amount !== undefined) return Number(amount) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS];
  const iso = ISO_DURATION.exec(value)?.slice(1);
  return iso?.reduce((sum, text, i) => sum + Number(text ?? 0) * (ISO_UNIT_SECONDS[i] ?? 0), 0);
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
