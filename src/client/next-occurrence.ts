import * as z from 'zod/mini';
import { parseOccurrences } from '../schedules/index.js';
import { parseOptions } from '../support/validation.js';
import { parseTime } from './delay.js';

/** The times that a schedule is limited to, and the time zone that its cron is read in. */
export interface NextOccurrenceOptions {
  /** An IANA time zone, such as `Europe/Berlin`, for the clock that a cron goes by. Default: `UTC`. */
  readonly timeZone?: string | undefined;
  /** The time after which it happens: a `Date`, or ISO-8601 with its zone. A rate without `startAt` counts from it. Default: now. */
  readonly after?: Date | string | undefined;
  /** The time before which it does not happen, and the first time of a rate. Default: none. */
  readonly startAt?: Date | string | undefined;
  /** The last time at which it may happen. Default: none. */
  readonly endAt?: Date | string | undefined;
}

const time = z.optional(z.unknown());
const optionsSchema = z.strictObject({
  timeZone: z.optional(z.string()),
  after: time,
  startAt: time,
  endAt: time,
});

/**
 * The next time of a schedule, a whole minute: for the `at` of a record that inserts the one after it.
 *
 *     nextOccurrence('cron(30 2 ? * MON-FRI *)', { timeZone: 'Europe/Berlin' });
 *     nextOccurrence('rate(5 minutes)', { after: record.insertedAt });
 *
 * No time is lost when the clocks are changed. One that is left out when they go forward happens at the instant of the
 * change. One that is shown twice when they go back happens the first time. A cron that covers all 24 hours happens both
 * times.
 *
 * The syntax is that of [EventBridge](https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html),
 * with `L`, `W` and `#`.
 *
 * @param schedule `rate(5 minutes)`, of minutes, hours or days; or `cron(minutes hours day-of-month month day-of-week year)`
 * @returns the time; undefined if there is none before the end of `endAt` or of the expression's years
 * @throws ConfigurationError naming the option or the field that cannot be read
 */
export function nextOccurrence(schedule: string, options: NextOccurrenceOptions = {}): Date | undefined {
  const { timeZone, ...times } = parseOptions(optionsSchema, options, 'nextOccurrence');
  const timeOf = (name: keyof typeof times) =>
    times[name] === undefined ? undefined : parseTime(times[name], name);
  const after = timeOf('after') ?? Date.now();
  const occurrences = parseOccurrences({
    schedule,
    timeZone,
    startAt: timeOf('startAt'),
    endAt: timeOf('endAt'),
    createdAt: after,
  });
  const next = occurrences.next(after);
  return next === undefined ? undefined : new Date(next);
}
