import { age } from '../support/duration.js';

const DAY_MS = 86_400_000;
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `14:06:41` of today, `Sat 21 Nov 06:00` of another day, with the year of another year. All in UTC. */
export function clockText(ms: number, now: number): string {
  if (!Number.isFinite(ms)) return '–';
  const date = new Date(ms);
  const time = date.toISOString().slice(11, 19);
  if (Math.floor(ms / DAY_MS) === Math.floor(now / DAY_MS)) return time;
  const year = date.getUTCFullYear();
  const inYear = year === new Date(now).getUTCFullYear() ? '' : ` ${year}`;
  return `${DAYS[date.getUTCDay()]} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}${inYear} ${time.slice(0, 5)}`;
}

/** `14:06` of today, `Sat 21 Nov 06:00` of another day, in UTC. */
export function minuteText(ms: number, now: number): string {
  return clockText(ms, now).replace(/^(\d\d:\d\d):\d\d$/, '$1');
}

/** `Mon 23 Nov 2026 14:47:18`, in UTC. */
export function fullClock(ms: number): string {
  const date = new Date(ms);
  const day = `${DAYS[date.getUTCDay()]} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
  return `${day} ${date.getUTCFullYear()} ${date.toISOString().slice(11, 19)}`;
}

/** `in 13 min 36 s`, `40 min ago`, `now`. */
export function relative(ms: number, now: number): string {
  const difference = ms - now;
  if (!Number.isFinite(difference)) return '–';
  if (Math.abs(difference) < 1000) return 'now';
  return difference > 0 ? `in ${age(difference)}` : `${age(-difference)} ago`;
}

/** `12,937`. */
export function count(number: number): string {
  return number.toLocaleString('en-US');
}

/** `1 attempt`, `12,937 attempts`. */
export function counted(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** `1 record`, `12,937 records`. */
export function records(number: number, kind = ''): string {
  return [count(number), kind, number === 1 ? 'record' : 'records'].filter(Boolean).join(' ');
}

/** `512 B`, `1.2 KB`, `3.4 MB`. */
export function bytes(number: number): string {
  if (number < 1024) return `${number} B`;
  return number < 1024 ** 2 ? `${(number / 1024).toFixed(1)} KB` : `${(number / 1024 ** 2).toFixed(1)} MB`;
}

/** `orders`, `orders and invoices`, `orders, invoices and 3 more`. */
export function names(all: readonly string[]): string {
  const [first = '', second, ...rest] = all;
  if (second === undefined) return first;
  return rest.length === 0 ? `${first} and ${second}` : `${first}, ${second} and ${rest.length} more`;
}

/** Numbers in a unit, with one digit behind the point at most. */
export function units(readUnits: number): string {
  const rounded = Math.round(readUnits * 10) / 10;
  return `${rounded} read ${rounded === 1 ? 'unit' : 'units'}`;
}
