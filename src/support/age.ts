const UNITS_OF_AGE: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** A length of time in its two largest units: `2 h 5 min`, `3 d`, `12 s`. */
export function age(milliseconds: number): string {
  let rest = Math.max(0, Math.round(milliseconds / 1000)) * 1000;
  const parts: string[] = [];
  for (const [name, ms] of UNITS_OF_AGE) {
    const count = Math.floor(rest / ms);
    rest -= count * ms;
    if (count > 0) parts.push(`${count} ${name}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ') || '0 s';
}
