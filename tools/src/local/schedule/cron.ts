import { ConfigurationError } from 'dynamo-backlog';
import type { Schedule } from './schedule.js';

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names for the values from `min` on. */
  readonly names?: readonly string[];
}

const FIELDS = {
  minutes: { name: 'minutes', min: 0, max: 59 },
  hours: { name: 'hours', min: 0, max: 23 },
  days: { name: 'day of month', min: 1, max: 31 },
  months: {
    name: 'month',
    min: 1,
    max: 12,
    names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
  },
  weekdays: {
    name: 'day of week',
    min: 1,
    max: 7,
    names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
  },
  years: { name: 'year', min: 1970, max: 2199 },
} as const satisfies Record<string, Field>;

const DAY_MS = 86_400_000;

/**
 * EventBridge's six fields, read in UTC: minutes, hours, day of month, month, day of week (1 = SUN), year. One of the
 * two days is `?`. Lists, ranges, steps and names are read; `L`, `W` and `#` are refused.
 *
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 *
 * @param body what stands between the parentheses of `cron(...)`
 * @throws ConfigurationError naming the field
 */
export function parseCron(body: string): Schedule {
  const parts = body.trim().split(/\s+/);
  const [minute = '', hour = '', day = '', month = '', weekday = '', year = ''] = parts;
  const fail = (problem: string): never => {
    throw new ConfigurationError(`schedule: cron(${body}): ${problem}`);
  };
  if (parts.length !== 6) {
    fail(`expected six fields (minutes hours day-of-month month day-of-week year), got ${parts.length}`);
  }
  if ((day === '?') === (weekday === '?')) {
    fail('expected "?" as exactly one of day of month and day of week');
  }
  const read = (text: string, field: Field) => parseField(text, field, fail);
  const minutes = sorted(read(minute, FIELDS.minutes));
  const hours = sorted(read(hour, FIELDS.hours));
  const months = read(month, FIELDS.months);
  const years = read(year, FIELDS.years);
  const days = day === '?' ? undefined : read(day, FIELDS.days);
  const weekdays = weekday === '?' ? undefined : read(weekday, FIELDS.weekdays);

  const dayFires = (date: Date) =>
    months.has(date.getUTCMonth() + 1) &&
    (days?.has(date.getUTCDate()) ?? true) &&
    (weekdays?.has(date.getUTCDay() + 1) ?? true);

  return {
    next: (after) => {
      const end = Date.UTC(Math.max(...years) + 1, 0, 1);
      let dayStart = Math.floor(after / DAY_MS) * DAY_MS;
      while (dayStart < end) {
        const date = new Date(dayStart);
        if (!years.has(date.getUTCFullYear())) {
          dayStart = Date.UTC(date.getUTCFullYear() + 1, 0, 1);
          continue;
        }
        if (dayFires(date)) {
          const found = firstOfDay(dayStart, after, hours, minutes);
          if (found !== undefined) return found;
        }
        dayStart += DAY_MS;
      }
      return undefined;
    },
  };
}

function firstOfDay(
  dayStart: number,
  after: number,
  hours: readonly number[],
  minutes: readonly number[],
): number | undefined {
  for (const hour of hours) {
    for (const minute of minutes) {
      const time = dayStart + hour * 3_600_000 + minute * 60_000;
      if (time > after) return time;
    }
  }
  return undefined;
}

function parseField(text: string, field: Field, fail: (problem: string) => never): Set<number> {
  const values = new Set<number>();
  const bad = (): never =>
    fail(`${field.name}: expected ${field.min} to ${field.max}, a list, range, step or *, got "${text}"`);
  const value = (word: string): number => {
    const named = field.names?.indexOf(word.toUpperCase()) ?? -1;
    if (named >= 0) return field.min + named;
    const number = /^\d+$/.test(word) ? Number(word) : Number.NaN;
    return number >= field.min && number <= field.max ? number : bad();
  };
  const special = field.name.startsWith('day') && /^(L|LW|\d+L|L-\d+|\d+W|\w+#\d)$/i.test(text);
  if (special) fail(`${field.name}: L, W and # are not supported by the local runtime, got "${text}"`);
  for (const item of text.split(',')) {
    const [range = '', step, ...more] = item.split('/');
    if (more.length > 0 || (step !== undefined && !/^[1-9]\d*$/.test(step))) bad();
    const [from = '', to, ...rest] = range.split('-');
    if (rest.length > 0) bad();
    const first = from === '*' ? field.min : value(from);
    const openEnd = from === '*' || (step !== undefined && to === undefined);
    const last = to !== undefined ? value(to) : openEnd ? field.max : first;
    if (first > last || (from === '*' && to !== undefined)) bad();
    for (let n = first; n <= last; n += Number(step ?? 1)) values.add(n);
  }
  return values;
}

function sorted(values: ReadonlySet<number>): number[] {
  return [...values].sort((a, b) => a - b);
}
