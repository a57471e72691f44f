import { Token } from 'aws-cdk-lib';
import type { Definition } from '../../src/recurring/definition.js';
import { ConfigurationError } from '../../src/support/errors.js';
import { show } from '../../src/support/validation.js';

/** Recurring records by name, as the function gets them. */
export type Definitions = Readonly<Record<string, Definition>>;

/** The time zone that a `ScheduleExpression` has where none was given. */
const UTC = 'Etc/UTC';

/**
 * The expression and the time zone of a schedule: both are texts, or objects of the CDK. They are recognized by their members, not by
 * their classes: an app can hold two copies of aws-cdk-lib.
 *
 * @throws ConfigurationError for two time zones
 */
export function scheduleOf(
  { schedule, timeZone }: { readonly schedule: unknown; readonly timeZone?: unknown },
  path: string,
): { readonly schedule: unknown; readonly timeZone?: unknown } {
  const given = member(timeZone, 'timezoneName') ?? timeZone;
  const expression = member(schedule, 'expressionString');
  if (expression === undefined) return zoned(schedule, given);
  const its = member((schedule as { readonly timeZone?: unknown }).timeZone, 'timezoneName');
  if (its === undefined || its === UTC) return zoned(expression, given);
  if (given !== undefined && given !== its) {
    throw new ConfigurationError(
      `${path}.timeZone: expected nothing beside a schedule that has the time zone ${show(its)}, got ${show(given)}`,
    );
  }
  return zoned(expression, its);
}

function zoned(schedule: unknown, timeZone: unknown) {
  return { schedule, ...(timeZone !== undefined && { timeZone }) };
}

function member(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null || Token.isUnresolved(value)) return undefined;
  const found: unknown = (value as Record<string, unknown>)[name];
  return typeof found === 'string' ? found : undefined;
}
