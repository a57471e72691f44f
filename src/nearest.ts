import { closest, distance } from 'fastest-levenshtein';

/** The known name that was probably meant, if it is not too far from what was written. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const best = closest(name, known);
  return distance(name.toLowerCase(), best.toLowerCase()) <= Math.max(2, best.length / 3) ? best : undefined;
}
