import { isSortable, toIso } from '../support/clock.js';

/** A clock that is this far ahead is believed; further ahead counts as unreadable. */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** Longer texts are no times. */
const MAX_TIME_CHARACTERS = 64;

/** The form in which the library writes times, on days that no month lacks. Other times are parsed, and written in this form. */
const CANONICAL_TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** A time of an item in the form that the library writes; undefined: it is none. */
export function parseTime(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_TIME_CHARACTERS) return undefined;
  if (CANONICAL_TIME.test(value)) return value;
  const ms = Date.parse(value);
  return isSortable(ms) ? toIso(ms) : undefined;
}
