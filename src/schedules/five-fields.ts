import { FIELDS } from './cron-fields.js';

/**
 * Converts the five fields of a Unix crontab to the six of EventBridge. Returns undefined where that is not simple: two
 * days that both count, or steps of weekdays.
 */
export function convertFiveFields(parts: readonly string[]): string[] | undefined {
  const [minute, hour, day, month, weekday] = parts;
  if (parts.length !== 5 || !minute || !hour || !day || !month || !weekday) return undefined;
  // A "?" is EventBridge's own: only the year is missing.
  if (day === '?' || weekday === '?') return [minute, hour, day, month, weekday, '*'];
  if (weekday === '*') return [minute, hour, day, month, '?', '*'];
  if (day !== '*' || !/^[\w,-]+$/.test(weekday)) return undefined;
  // Unix counts from 0 for Sunday to 7 for the same; names are the same in both.
  const named = weekday.replace(/\d+/g, (digits) => FIELDS.weekdays.names[Number(digits) % 7] ?? digits);
  return [minute, hour, '?', month, named, '*'];
}
