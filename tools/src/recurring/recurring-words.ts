import type { RecurringRecord } from 'dynamo-backlog';
import { age, type Definition } from 'dynamo-backlog/engine';

const DAYS: Readonly<Record<string, string>> = {
  'MON-FRI': 'Monday to Friday',
  ...{ SUN: 'Sundays', MON: 'Mondays', TUE: 'Tuesdays', WED: 'Wednesdays', THU: 'Thursdays' },
  ...{ FRI: 'Fridays', SAT: 'Saturdays' },
};

/** `every day at 03:00` for a schedule that is as simple as that. Undefined: its expression says it best. */
export function scheduleWords({ schedule }: Pick<Definition, 'schedule'>): string | undefined {
  const [, rate] = /^rate\((.+)\)$/.exec(schedule) ?? [];
  if (rate !== undefined) return `every ${rate.replace(/^1 /, '')}`;
  const [, cron = ''] = /^cron\((.+)\)$/.exec(schedule) ?? [];
  const [minute = '', hour = '', day = '', month, weekday = '', year = '*'] = cron.split(' ');
  if (month !== '*' || year !== '*' || !/^\d\d?$/.test(minute)) return undefined;
  const isEachDay = /^[*?]$/.test(day) && /^[*?]$/.test(weekday);
  if (hour === '*') return isEachDay ? `every hour at minute ${minute}` : undefined;
  if (!/^\d\d?$/.test(hour)) return undefined;
  const at = `at ${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (isEachDay) return `every day ${at}`;
  if (day === '?') {
    const words = DAYS[weekday.toUpperCase()];
    return words && `${words} ${at}`;
  }
  if (weekday !== '?') return undefined;
  if (day === 'L') return `on the last day of the month ${at}`;
  return /^\d\d?$/.test(day) ? `on day ${day} of each month ${at}` : undefined;
}

/** `cron(0 3 * * ? *) Europe/Berlin`, as it is written in the CDK app. */
export function scheduleText({ schedule, timeZone }: Pick<Definition, 'schedule' | 'timeZone'>): string {
  return timeZone === undefined ? schedule : `${schedule} ${timeZone}`;
}

/** `Tue 1 Dec, 04:00` in a time zone. Undefined: it is UTC, or none that is known here. */
export function inZone(at: number, timeZone: string | undefined): string | undefined {
  if (timeZone === undefined || timeZone === 'UTC') return undefined;
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone, ...ZONED }).format(at);
  } catch {
    return undefined;
  }
}
const ZONED: Intl.DateTimeFormatOptions = {
  ...({ weekday: 'short', day: 'numeric', month: 'short' } as const),
  ...({ hour: '2-digit', minute: '2-digit' } as const),
};

/** The origins in words. */
export const ORIGINS: Readonly<Record<RecurringRecord['origin'], string>> = {
  template: 'CDK app',
  application: 'application',
};

/** The note on a recurring record of the CDK app that gets another definition. */
export const IN_CDK_APP =
  'it is in the CDK app: the definition there comes back with the first deployment that changes it';
export const PAUSE_IN_CDK_APP = 'it is in the CDK app, whose deployments leave the pause as it is';

/** The warning that nothing inserts the occurrences. */
export const NO_FUNCTION =
  'no function looks at recurring records yet: set the prop recurring (recurring: {}) in the CDK app';

/** ` until 2026-12-01 16:00 UTC: stocktaking, by anna`: what is known of a pause. */
export function pauseText({ paused }: Pick<RecurringRecord, 'paused'>, now: number): string {
  if (paused === undefined) return '';
  const { since, until, reason, by } = paused;
  return [
    ` for ${age(Math.max(0, now - Date.parse(since)))}`,
    until === undefined ? '' : `, until ${until.slice(0, 16).replace('T', ' ')} UTC`,
    reason === undefined ? '' : `: ${reason}`,
    by === undefined ? '' : `, by ${by}`,
  ].join('');
}
