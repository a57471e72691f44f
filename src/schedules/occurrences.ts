import { LAST_TIME } from '../support/clock.js';
import { ConfigurationError } from '../support/errors.js';
import { show } from '../support/validation.js';
import { parseCron } from './cron.js';
import { parseRate, splitExpression } from './expression.js';
import { WallClock } from './wall-clock.js';
import { ZonedCron } from './zoned-cron.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

export interface OccurrenceOptions {
  /** `rate(5 minutes)` or `cron(0 12 * * ? *)`. */
  readonly schedule: string;
  /** The time zone of a cron. Default: UTC. A rate is the same everywhere. */
  readonly timeZone?: string | undefined;
  /** The time before which it does not happen, epoch milliseconds. The first time of a rate. */
  readonly startAt?: number | undefined;
  /** The last time at which it may happen, epoch milliseconds. */
  readonly endAt?: number | undefined;
  /** The time that a rate without `startAt` counts from, epoch milliseconds: its first time is an interval later. */
  readonly createdAt: number;
}

/** The times at which something recurs, each of them a whole minute, in epoch milliseconds. */
export interface Occurrences {
  /** The first one after a time. */
  next(after: number): number | undefined;
  /** The latest one from `from` to `until`, both included. */
  last(from: number, until: number): number | undefined;
}

/**
 * Parses the schedule of something that recurs. Unlike EventBridge Scheduler, a cron leaves no time out when the clocks
 * go forward: it happens at the instant of the change. When they go back, a time that is shown twice happens the first
 * time. A cron that covers all 24 hours happens both times.
 *
 * A rate counts from `startAt` or `createdAt` without their seconds.
 *
 * @throws ConfigurationError naming what cannot be read
 */
export function parseOccurrences(options: OccurrenceOptions): Occurrences {
  const { schedule, timeZone = 'UTC', createdAt, endAt = LAST_TIME } = options;
  checkTimes(options);
  const clock = new WallClock(timeZone);
  const { kind, body } = splitExpression(schedule, ['rate', 'cron']);
  const startAt = kind === 'rate' ? wholeMinute(options.startAt) : options.startAt;
  const times = kind === 'rate' ? rateFrom(startAt, createdAt, body) : new ZonedCron(parseCron(body), clock);
  const next = (after: number) => {
    if (!(after < LAST_TIME)) return undefined;
    const at = times.next(Math.max(after, (startAt ?? 0) - 1));
    return at !== undefined && at <= Math.min(endAt, LAST_TIME) ? at : undefined;
  };
  return { next, last: (from, until) => lastOf(next, Math.max(from, startAt ?? 0), Math.min(until, endAt)) };
}

function checkTimes({ startAt, endAt, createdAt }: OccurrenceOptions): void {
  for (const [name, time] of Object.entries({ startAt, endAt, createdAt })) {
    if (time === undefined) continue;
    if (!Number.isFinite(time) || time < 0 || time > LAST_TIME) {
      throw new ConfigurationError(`${name}: expected epoch milliseconds from 0 on, got ${show(time)}`);
    }
  }
  if (startAt !== undefined && endAt !== undefined && endAt < startAt) {
    throw new ConfigurationError('endAt: expected a time that is not before startAt');
  }
}

function wholeMinute<Time extends number | undefined>(time: Time): Time {
  return (time === undefined ? time : Math.floor(time / MINUTE_MS) * MINUTE_MS) as Time;
}

function rateFrom(startAt: number | undefined, createdAt: number, body: string): Pick<Occurrences, 'next'> {
  const rate = parseRate(body);
  const first = startAt ?? wholeMinute(createdAt) + rate.everyMs;
  return { next: (after) => (after < first ? first : rate.next(after, first)) };
}

/**
 * The latest occurrence from `from` to `until`. It looks at ever longer times before `until`, and then halves the time in
 * which a later one may be: an every-minute schedule costs no more than a yearly one.
 */
function lastOf(next: Occurrences['next'], from: number, until: number): number | undefined {
  let latest: number | undefined;
  for (let span = HOUR_MS; latest === undefined; span *= 4) {
    const start = Math.max(from, until - span);
    if (!(start <= until)) return undefined;
    const found = next(start - 1);
    if (found !== undefined && found <= until) latest = found;
    else if (start === from) return undefined;
  }
  let end = until;
  while (end - latest >= MINUTE_MS) {
    const middle = latest + Math.max(MINUTE_MS, Math.floor((end - latest) / 2));
    const later = next(middle - 1);
    if (later !== undefined && later <= end) latest = later;
    else end = middle - 1;
  }
  return latest;
}
