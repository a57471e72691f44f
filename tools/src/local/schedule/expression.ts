import { ConfigurationError } from 'dynamo-backlog';
import { parseCron } from './cron.js';
import type { Schedule } from './schedule.js';

/**
 * Parses the schedule of a rule: `rate(5 minutes)` or `cron(0 12 * * ? *)`, in UTC.
 *
 * @throws ConfigurationError naming what cannot be read
 */
export function parseSchedule(expression: string): Schedule {
  const [, kind, body = ''] = /^(rate|cron)\((.*)\)$/.exec(expression.trim()) ?? [];
  if (kind === 'rate') return parseRate(body);
  if (kind === 'cron') return parseCron(body);
  throw new ConfigurationError(`schedule: expected rate(...) or cron(...), got "${expression}"`);
}

const UNIT_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * A constant interval, as rules count it: the first firing comes one interval after the creation.
 *
 * @param body what stands between the parentheses of `rate(...)`
 * @throws ConfigurationError if it cannot be read
 */
export function parseRate(body: string): Schedule {
  const [, digits = '', unit = '', plural = ''] =
    /^([1-9]\d*) (minute|hour|day)(s?)$/.exec(body.trim()) ?? [];
  const count = Number(digits);
  const unitMs = UNIT_MS[unit];
  if (unitMs === undefined || (count === 1) !== (plural === '')) {
    throw new ConfigurationError(
      `schedule: expected a rate such as rate(1 minute) or rate(5 minutes), got "rate(${body})"`,
    );
  }
  const everyMs = count * unitMs;
  return {
    everyMs,
    next: (after, createdAt) => {
      const turn = Math.max(1, Math.floor((after - createdAt) / everyMs) + 1);
      return createdAt + turn * everyMs;
    },
  };
}
