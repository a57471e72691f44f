import { type Fail, FIELDS, fieldValue, parseField } from './cron-fields.js';

/** A month of the calendar. */
export interface Month {
  /** Number of its last day. */
  readonly length: number;
  /** Weekday of a day: 1 is Sunday. */
  weekday(day: number): number;
}

/** Tells whether a day of a month is one of a cron expression. */
export type IsDay = (day: number, month: Month) => boolean;

const [SUNDAY, SATURDAY] = [1, 7];

/** Reads the day of month: values, `L` (the last day), `LW` (the last one from Monday to Friday) or `15W`. */
export function parseDayOfMonth(text: string, fail: Fail): IsDay {
  const word = text.toUpperCase();
  if (word === 'L') return (day, month) => day === month.length;
  if (word === 'LW') return (day, month) => day === nearestWeekday(month.length, month);
  const near = /^(\d+)W$/.exec(word)?.[1];
  const target = near === undefined ? undefined : fieldValue(near, FIELDS.days);
  if (target !== undefined) {
    return (day, month) => target <= month.length && day === nearestWeekday(target, month);
  }
  if (/[LW#]/.test(word)) {
    fail(
      `${FIELDS.days.name}: expected L, LW or a day such as 15W alone, not in a list, range or step, got "${text}"`,
    );
  }
  const days = new Set(parseField(text, FIELDS.days, fail));
  return (day) => days.has(day);
}

/**
 * Reads the day of week: values, `L` (Saturday, the last one of a week), `6L` or `FRIL` (the last Friday of a month),
 * `6#2` or `FRI#2` (the second one).
 */
export function parseDayOfWeek(text: string, fail: Fail): IsDay {
  const word = text.toUpperCase();
  if (word === 'L') return (day, month) => month.weekday(day) === SATURDAY;
  const [, name = '', nth] = /^(\w+?)(?:L|#([1-5]))$/.exec(word) ?? [];
  const weekday = fieldValue(name, FIELDS.weekdays);
  if (weekday !== undefined) {
    const isInWeek: IsDay =
      nth === undefined
        ? (day, month) => day > month.length - 7
        : (day) => Math.ceil(day / 7) === Number(nth);
    return (day, month) => month.weekday(day) === weekday && isInWeek(day, month);
  }
  if (/[L#]/.test(word)) {
    fail(
      `${FIELDS.weekdays.name}: expected L, a day such as 6L, or 6#1 to 6#5, alone, not in a list, range or step, got "${text}"`,
    );
  }
  const weekdays = new Set(parseField(text, FIELDS.weekdays, fail));
  return (day, month) => weekdays.has(month.weekday(day));
}

/** The day from Monday to Friday that is nearest, in the same month. */
function nearestWeekday(day: number, month: Month): number {
  switch (month.weekday(day)) {
    case SATURDAY:
      return day === 1 ? day + 2 : day - 1;
    case SUNDAY:
      return day === month.length ? day - 2 : day + 1;
    default:
      return day;
  }
}
