import { ConfigurationError } from '../support/errors.js';
import { type IsDay, type Month, parseDayOfMonth, parseDayOfWeek } from './cron-days.js';
import { type Fail, FIELDS, parseField } from './cron-fields.js';
import { convertFiveFields } from './five-fields.js';
import type { Schedule } from './schedule.js';

/** Times of a cron expression, in UTC. */
export interface Cron extends Schedule {
  /** Its hours are all 24 hours of a day. */
  readonly coversAllHours: boolean;
}

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

/**
 * EventBridge's six fields, read in UTC: minutes, hours, day of month, month, day of week (1 = SUN), year. One of the
 * two days is `?`. The other one may have `L`, `W` or `#`.
 *
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 *
 * @param body what stands between the parentheses of `cron(...)`
 * @throws ConfigurationError naming the field
 */
export function parseCron(body: string): Cron {
  const parts = body.trim().split(/\s+/);
  const fail: Fail = (problem) => {
    throw new ConfigurationError(`schedule: cron(${body}): ${problem}`);
  };
  if (parts.length === 5) fail(fiveFieldsProblem(parts));
  if (parts.length !== 6) {
    fail(`expected six fields (minutes hours day-of-month month day-of-week year), got ${parts.length}`);
  }
  return parseFields(parts, fail);
}

/** The six fields that five of Unix mean, as `cron(...)`; undefined if EventBridge's cron cannot say it. */
export function cronOfFiveFields(parts: readonly string[]): string | undefined {
  const converted = convertFiveFields(parts);
  if (converted === undefined) return undefined;
  try {
    parseFields(converted, () => {
      throw new ConfigurationError('schedule');
    });
  } catch {
    return undefined;
  }
  return `cron(${converted.join(' ')})`;
}

function fiveFieldsProblem(parts: readonly string[]): string {
  const converted = cronOfFiveFields(parts);
  const hint = converted === undefined ? '' : `; write ${converted}`;
  return `got 5 fields: EventBridge's cron has a sixth field, the year, and one of the two days is "?"${hint}`;
}

function parseFields(parts: readonly string[], fail: Fail): Cron {
  const [minute = '', hour = '', day = '', month = '', weekday = '', year = ''] = parts;
  if ((day === '?') === (weekday === '?')) {
    fail('expected "?" as exactly one of day of month and day of week');
  }
  const minutes = parseField(minute, FIELDS.minutes, fail);
  const hours = parseField(hour, FIELDS.hours, fail);
  const months = parseField(month, FIELDS.months, fail);
  const years = parseField(year, FIELDS.years, fail);
  const isDay = day === '?' ? parseDayOfWeek(weekday, fail) : parseDayOfMonth(day, fail);
  return {
    coversAllHours: hours.length === 24,
    next: (after) => {
      for (const dayStart of daysFrom(after, { years, months, isDay })) {
        const found = firstOfDay(dayStart, after, hours, minutes);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

interface Days {
  readonly years: readonly number[];
  readonly months: readonly number[];
  readonly isDay: IsDay;
}

/** The midnights of the days that are meant, from the day of a time on. */
function* daysFrom(time: number, { years, months, isDay }: Days): Generator<number> {
  const firstDay = Math.floor(time / DAY_MS) * DAY_MS;
  for (const year of years) {
    if (Date.UTC(year + 1, 0, 1) <= firstDay) continue;
    for (const number of months) {
      if (Date.UTC(year, number, 1) <= firstDay) continue;
      const monthStart = Date.UTC(year, number - 1, 1);
      const month = monthOf(year, number);
      for (let day = 1; day <= month.length; day++) {
        const dayStart = monthStart + (day - 1) * DAY_MS;
        if (dayStart >= firstDay && isDay(day, month)) yield dayStart;
      }
    }
  }
}

function monthOf(year: number, number: number): Month {
  const first = new Date(Date.UTC(year, number - 1, 1)).getUTCDay();
  return {
    length: new Date(Date.UTC(year, number, 0)).getUTCDate(),
    weekday: (day) => ((first + day - 1) % 7) + 1,
  };
}

function firstOfDay(
  dayStart: number,
  after: number,
  hours: readonly number[],
  minutes: readonly number[],
): number | undefined {
  for (const hour of hours) {
    const hourStart = dayStart + hour * HOUR_MS;
    if (hourStart + HOUR_MS <= after) continue;
    for (const minute of minutes) {
      const time = hourStart + minute * MINUTE_MS;
      if (time > after) return time;
    }
  }
  return undefined;
}
