import { ConfigurationError } from '../../errors.js';
import { show } from '../../validation.js';

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** A length of time in its two largest units: `2 h 5 min`, `3 d`, `12 s`. */
export function age(milliseconds: number): string {
  let rest = Math.max(0, Math.round(milliseconds / 1000)) * 1000;
  const parts: string[] = [];
  for (const [name, ms] of UNITS) {
    const count = Math.floor(rest / ms);
    rest -= count * ms;
    if (count > 0) parts.push(`${count} ${name}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ') || '0 s';
}

const SUFFIX_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Reads `30s`, `90m`, `2h`, `7d` or sums like `1h30m`, as milliseconds.
 *
 * @throws ConfigurationError on anything else, a number without a unit included
 */
export function parseDuration(text: string, name: string): number {
  const parts = [...text.trim().matchAll(/(\d+(?:\.\d+)?)\s*(ms|min|s|m|h|d)\s*/gy)];
  const read = parts.map(([whole]) => whole).join('');
  const total = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (SUFFIX_MS[unit ?? ''] ?? 0), 0);
  if (read !== text.trim() || total <= 0) {
    throw new ConfigurationError(
      `${name}: expected a duration with a unit, such as 30s, 90m, 2h or 7d, got ${show(text)}`,
    );
  }
  return total;
}
