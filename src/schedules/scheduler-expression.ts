import { ConfigurationError } from '../support/errors.js';
import { parseCron } from './cron.js';
import { parseRate, splitExpression } from './expression.js';
import type { Schedule } from './schedule.js';
import { WallClock } from './wall-clock.js';

/** @inline */
export interface SchedulerExpression {
  /** `rate(5 minutes)`, `cron(0 12 * * ? *)` or `at(2026-11-20T09:30:00)`. */
  readonly expression: string;
  /** The time zone of cron and at. Default: UTC. A rate is the same everywhere. */
  readonly timeZone?: string | undefined;
  /** The first time at which it may fire, epoch milliseconds. One-time schedules ignore it. */
  readonly startAt?: number | undefined;
  /** The last time at which it may fire, epoch milliseconds. One-time schedules ignore it. */
  readonly endAt?: number | undefined;
}

/**
 * Parses a schedule of EventBridge Scheduler. A time that its time zone leaves out when the clocks go forward does not
 * happen. One that comes twice when they go back happens the first time.
 *
 * https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
 *
 * @throws ConfigurationError naming what cannot be read
 */
export function parseSchedulerExpression(from: SchedulerExpression): Schedule {
  const { expression, timeZone = 'UTC', startAt, endAt = Number.POSITIVE_INFINITY } = from;
  const { kind, body } = splitExpression(expression, ['rate', 'cron', 'at']);
  const clock = new WallClock(timeZone);
  switch (kind) {
    case 'at':
      return once(body, clock);
    case 'cron':
      return until(endAt, notBefore(startAt, inZone(parseCron(body), clock)));
    case 'rate':
      return until(endAt, atOnce(startAt, parseRate(body)));
  }
}

/** Turns a schedule of the times that a clock shows into one of instants. */
function inZone(schedule: Schedule, clock: WallClock): Schedule {
  return {
    next: (after, createdAt) => {
      let shown: number | undefined = clock.shownAt(after);
      for (;;) {
        shown = schedule.next(shown, createdAt);
        if (shown === undefined) return undefined;
        const instant = clock.firstShowing(shown);
        if (instant === undefined) shown = Math.max(shown, clock.endOfGap(shown) - 1);
        else if (instant > after) return instant;
      }
    },
  };
}

function notBefore(startAt: number | undefined, { next }: Schedule): Schedule {
  if (startAt === undefined) return { next };
  return { next: (after, createdAt) => next(Math.max(after, startAt - 1), createdAt) };
}

/** Makes a rate fire as soon as the schedule is created, unlike a rule. */
function atOnce(startAt: number | undefined, { everyMs, next }: Schedule): Schedule {
  return {
    everyMs,
    next: (after, createdAt) => {
      const first = startAt ?? createdAt;
      return after < first ? first : next(after, first);
    },
  };
}

function until(endAt: number, { everyMs, next }: Schedule): Schedule {
  return {
    everyMs,
    next: (after, createdAt) => {
      const at = next(after, createdAt);
      return at !== undefined && at <= endAt ? at : undefined;
    },
  };
}

function once(body: string, clock: WallClock): Schedule {
  const shown = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(body) ? Date.parse(`${body}Z`) : Number.NaN;
  if (Number.isNaN(shown)) {
    throw new ConfigurationError(
      `schedule: expected a time such as at(2026-11-20T09:30:00), got "at(${body})"`,
    );
  }
  const at = clock.firstShowing(shown);
  return { next: (after) => (at !== undefined && at > after ? at : undefined) };
}
