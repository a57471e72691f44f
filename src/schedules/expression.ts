import { ConfigurationError } from '../support/errors.js';
import { show } from '../support/validation.js';
import { cronOfFiveFields, parseCron } from './cron.js';
import type { Schedule } from './schedule.js';

/** Limit of EventBridge. */
const MAX_CHARACTERS = 256;

/**
 * Splits an expression into its kind and what stands between its parentheses.
 *
 * @param kinds the kinds that are allowed, such as `rate`
 * @throws ConfigurationError for another kind, or an expression that is too long
 */
export function splitExpression<Kind extends string>(
  expression: string,
  kinds: readonly Kind[],
): { kind: Kind; body: string } {
  if (typeof expression === 'string' && expression.length > MAX_CHARACTERS) {
    throw new ConfigurationError(
      `schedule: expected at most ${MAX_CHARACTERS} characters, got ${expression.length}`,
    );
  }
  const text = typeof expression === 'string' ? expression.trim() : '';
  const [, word, body = ''] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
  const kind = kinds.find((one) => one === word);
  if (kind !== undefined) return { kind, body };
  const forms = kinds.map((one) => `${one}(...)`);
  const expected = `${forms.slice(0, -1).join(', ')} or ${forms.at(-1)}`;
  const meant = cronOfFiveFields(text.split(/\s+/));
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  throw new ConfigurationError(`schedule: expected ${expected}, got ${show(expression)}${hint}`);
}

/**
 * Parses the schedule of a rule: `rate(5 minutes)` or `cron(0 12 * * ? *)`, in UTC.
 *
 * @throws ConfigurationError naming what cannot be read
 */
export function parseSchedule(expression: string): Schedule {
  const { kind, body } = splitExpression(expression, ['rate', 'cron']);
  return kind === 'rate' ? parseRate(body) : parseCron(body);
}

const UNIT_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Times at a constant interval. */
export interface Rate extends Schedule {
  readonly everyMs: number;
}

/**
 * A constant interval, as rules count it: the first firing comes one interval after the creation.
 *
 * @param body what stands between the parentheses of `rate(...)`
 * @throws ConfigurationError if it cannot be read
 */
export function parseRate(body: string): Rate {
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
