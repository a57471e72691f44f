/** A unit of time that makes the numbers of an axis short. */
export interface TimeUnit {
  readonly name: 'seconds' | 'minutes' | 'hours' | 'days';
  readonly seconds: number;
}

const UNITS: readonly TimeUnit[] = [
  { name: 'days', seconds: 86_400 },
  { name: 'hours', seconds: 3_600 },
  { name: 'minutes', seconds: 60 },
];

/** The greatest unit of which the range holds three at least. */
export function timeUnitFor(rangeSeconds: number): TimeUnit {
  return UNITS.find(({ seconds }) => rangeSeconds >= 3 * seconds) ?? { name: 'seconds', seconds: 1 };
}
