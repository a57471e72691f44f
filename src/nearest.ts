import { closest, distance } from 'fastest-levenshtein';

/** Longer texts are not names that a person has misspelt. */
const MAX_CHARACTERS = 100;

/** The known name that was probably meant, if it is not too far from what was written. Case is no distance. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_CHARACTERS || known.length === 0) return undefined;
  const written = name.toLowerCase();
  const lowered = known.map((one) => one.toLowerCase());
  const best = closest(written, lowered);
  if (distance(written, best) > Math.max(2, best.length / 3)) return undefined;
  return known[lowered.indexOf(best)];
}
