import type { TimeZone } from 'aws-cdk-lib';
import * as z from 'zod';
import { ConfigurationError } from '../src/errors.js';
import { nearest } from '../src/nearest.js';
import { show } from '../src/validation.js';
import { isExternal } from './external.js';
import type { Queue } from './queue.js';
import { having } from './values.js';

const HOUR = 3_600;
const EXPECTED = 'expected a time zone such as "Europe/Berlin"';

/** A name of the IANA database, as text or as CDK's `TimeZone`. */
export const timeZone = z
  .union([z.string(), having<TimeZone>('timezoneName', 'string', EXPECTED).transform(nameOf)], EXPECTED)
  .refine(isTimeZone, { error: ({ input }) => `${EXPECTED}${hint(input)}` });

/**
 * Checks that a time zone has an effect. It moves only the tiers that start by the clock; a rate is the same everywhere.
 *
 * @throws ConfigurationError if it would have no effect
 */
export function checkTimeZone(zone: string | undefined, trigger: string, queues: readonly Queue[]): void {
  if (zone === undefined) return;
  if (trigger !== 'scheduler') {
    throw new ConfigurationError(
      `Backlog.timeZone: expected with trigger "scheduler" only, as rules know UTC alone, got ${show(zone)}`,
    );
  }
  // A process starts its tiers by itself.
  const tiers = queues.flatMap((queue) => (isExternal(queue) ? [] : queue.tiers));
  if (!tiers.some(({ every }) => clockCron(every) !== undefined)) {
    throw new ConfigurationError(
      'Backlog.timeZone: expected a progressive queue with a tier of 2, 3, 4, 6, 8, 12 or 24 hours, which is what it ' +
        `has an effect on, got ${show(zone)} and no such tier`,
    );
  }
}

/**
 * The turns of an interval on the clock on the wall, from midnight on: those of 2 hours up to a day that divide one.
 * A cron expression cannot say the others, and an hourly one would leave out an hour when the clocks go back.
 */
export function clockCron(every: number): string | undefined {
  const hours = every / HOUR;
  if (!Number.isInteger(hours) || hours < 2 || 24 % hours !== 0) return undefined;
  return hours === 24 ? 'cron(0 0 * * ? *)' : `cron(0 0/${hours} * * ? *)`;
}

function nameOf({ timezoneName }: TimeZone): string {
  return timezoneName;
}

/** In the letters of the database: Intl does not mind small ones, EventBridge Scheduler does. */
function isTimeZone(name: string): boolean {
  const known = canonical(name);
  return known !== undefined && (known === name || known.toLowerCase() !== name.toLowerCase());
}

/** Intl takes offsets such as `+02:00` as well, which are no names. */
function canonical(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

function hint(input: unknown): string {
  if (typeof input !== 'string') return '';
  const meant = canonical(input) ?? nearest(input, Intl.supportedValuesOf('timeZone'));
  return meant === undefined ? '' : ` (did you mean "${meant}"?)`;
}
