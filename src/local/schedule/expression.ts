import { ConfigurationError } from '../../errors.js';
import { parseCron } from './cron.js';
import { parseRate } from './rate.js';
import type { Schedule } from './schedule.js';

/**
 * When a rule fires: `rate(5 minutes)` or `cron(0 12 * * ? *)`, in UTC.
 *
 * @throws ConfigurationError naming what cannot be read
 */
export function parseSchedule(expression: string): Schedule {
  const [, kind, body = ''] = /^(rate|cron)\((.*)\)$/.exec(expression.trim()) ?? [];
  if (kind === 'rate') return parseRate(body);
  if (kind === 'cron') return parseCron(body);
  throw new ConfigurationError(`schedule: expected rate(...) or cron(...), got "${expression}"`);
}
