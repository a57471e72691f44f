import type { TimeZone } from 'aws-cdk-lib';
import * as z from 'zod';
import { nearest } from '../../src/support/nearest.js';
import { having } from '../support/values.js';

const EXPECTED = 'expected a time zone such as "Europe/Berlin"';

/** A name of the IANA database, as text or as CDK's `TimeZone`. */
export const timeZone = z
  .union([z.string(), having<TimeZone>('timezoneName', 'string', EXPECTED).transform(nameOf)], EXPECTED)
  .refine(isTimeZone, { error: ({ input }) => `${EXPECTED}${hint(input)}` });

function nameOf({ timezoneName }: TimeZone): string {
  return timezoneName;
}

/**
 * Tells whether it is a time zone, with the capitals that the database has: EventBridge Scheduler minds them, Intl does
 * not.
 */
function isTimeZone(name: string): boolean {
  const known = canonical(name);
  return known !== undefined && (known === name || known.toLowerCase() !== name.toLowerCase());
}

/** The name that Intl has for a time zone. Offsets such as `+02:00`, which Intl takes as well, are no names. */
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
