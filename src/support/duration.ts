import * as z from 'zod/mini';
import { ConfigurationError } from './errors.js';
import { show } from './validation.js';

export { age } from './age.js';

/**
 * A length of time, wherever one is said: seconds as a number, or text. Text has units, the largest first or not
 * (`"90s"`, `"2h"`, `"1h30m"`, `"3d 12h"`; ms, s, m or min, h, d, w), or is an ISO-8601 duration (`"PT2H"`,
 * `"P1DT2H"`) without years and months, whose length varies. A century at most.
 */
export type Duration = number | string;

const UNITS: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  min: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
};
const PART = /(\d+(?:\.\d+)?) ?(ms|min|[smhdw]) ?/y;
const ISO = /^P(?=.)(?:[\d.]+[WD])*(?:T(?:[\d.]+[HMS])+)?$/;
/** A century, its leap days included. */
export const MAX_SECONDS = 36_525 * 86_400;
/** The longest text that is read as a duration. */
const MAX_CHARACTERS = 64;

/** Seconds of a duration; undefined for what is none. `"5"` is none: five of what? */
function secondsOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.length > MAX_CHARACTERS) return undefined;
  // In ISO-8601 only M has two meanings, and months are refused.
  const text = ISO.test(value) ? value.slice(1).replace('T', '').toLowerCase() : value.trim();
  let seconds: number | undefined;
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const [, amount, unit = ''] = PART.exec(text) ?? [];
    if (amount === undefined) return undefined;
    seconds = (seconds ?? 0) + Number(amount) * (UNITS[unit] ?? 0);
  }
  return seconds;
}

/** Limits of a duration. */
export interface Bounds {
  /** Lower bound in seconds. Default: 0. */
  readonly least?: number;
  /** Upper bound in seconds. Default: a century. */
  readonly most?: number;
  /** Lower bound in seconds; the value itself is not allowed. Default: none. */
  readonly above?: number;
}

/** Returns the seconds of a duration, or a text that says what was expected. */
function secondsWithin(
  value: unknown,
  { least = 0, above = -1, most = MAX_SECONDS }: Bounds,
): number | string {
  const seconds = secondsOf(value);
  if (seconds !== undefined && seconds >= least && seconds > above && seconds <= most) return seconds;
  const from = above < 0 ? `${spanOf(least)} or more` : `above ${spanOf(above)}`;
  const to = most > MAX_SHOWN_SECONDS ? '' : `, at most ${spanOf(most)}`;
  return `expected seconds or a duration such as "90s" or "P1DT2H", ${from}${to}`;
}

/** Longest upper bound that an error names: no user would meet a longer one. */
const MAX_SHOWN_SECONDS = 1_000 * MAX_SECONDS;

/** An exact length in one unit: `365 d`, `90 s`. */
function spanOf(seconds: number): string {
  for (const [unit, length] of WHOLE_UNITS) {
    if (seconds > 0 && seconds % length === 0) return `${seconds / length} ${unit}`;
  }
  return `${seconds} s`;
}

const WHOLE_UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/**
 * Seconds of a duration.
 *
 * @throws ConfigurationError for what is none, or lies outside of the bounds
 */
export function parseDuration(value: unknown, name: string, bounds: Bounds = {}): number {
  const seconds = secondsWithin(value, bounds);
  if (typeof seconds === 'number') return seconds;
  throw new ConfigurationError(`${name}: ${seconds}, got ${show(value)}`);
}

/** An option that is a duration, or this word. The schema gives seconds, or the word. */
export function duration<Word extends string = never>(bounds: Bounds = {}, word?: Word) {
  return z.transform((value: unknown, { issues }): number | Word => {
    if (word !== undefined && value === word) return word;
    const seconds = secondsWithin(value, bounds);
    if (typeof seconds === 'number') return seconds;
    const message = word === undefined ? seconds : `${seconds}, or "${word}"`;
    issues.push({ code: 'custom', message, input: value });
    return z.NEVER;
  });
}
