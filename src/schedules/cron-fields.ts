/** Throws the error that names the expression. */
export type Fail = (problem: string) => never;

export interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names for the values from `min` on. */
  readonly names?: readonly string[];
}

export const FIELDS = {
  minutes: { name: 'minutes', min: 0, max: 59 },
  hours: { name: 'hours', min: 0, max: 23 },
  days: { name: 'day of month', min: 1, max: 31 },
  months: {
    name: 'month',
    min: 1,
    max: 12,
    names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
  },
  weekdays: {
    name: 'day of week',
    min: 1,
    max: 7,
    names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
  },
  years: { name: 'year', min: 1970, max: 2199 },
} as const satisfies Record<string, Field>;

/** The values of a field that is a list of values, ranges and steps; sorted. */
export function parseField(text: string, field: Field, fail: Fail): number[] {
  const values = new Set<number>();
  const bad = (): never =>
    fail(`${field.name}: expected ${field.min} to ${field.max}, a list, range, step or *, got "${text}"`);
  for (const item of text.split(',')) {
    const [range = '', step, ...more] = item.split('/');
    if (more.length > 0 || (step !== undefined && !/^[1-9]\d*$/.test(step))) bad();
    const [from = '', to, ...rest] = range.split('-');
    if (rest.length > 0) bad();
    const first = from === '*' ? field.min : (fieldValue(from, field) ?? bad());
    const openEnd = from === '*' || (step !== undefined && to === undefined);
    const last = to !== undefined ? (fieldValue(to, field) ?? bad()) : openEnd ? field.max : first;
    if (first > last || (from === '*' && to !== undefined)) bad();
    for (let n = first; n <= last; n += Number(step ?? 1)) values.add(n);
  }
  return [...values].sort((a, b) => a - b);
}

/** The value that a number or a name stands for; undefined for any other word. */
export function fieldValue(word: string, field: Field): number | undefined {
  const named = field.names?.indexOf(word.toUpperCase()) ?? -1;
  if (named >= 0) return field.min + named;
  const number = /^\d+$/.test(word) ? Number(word) : Number.NaN;
  return number >= field.min && number <= field.max ? number : undefined;
}
