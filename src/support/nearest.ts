import { closest, distance } from 'fastest-levenshtein';

/** Longest text that may be a misspelt name. */
const MAX_CHARACTERS = 100;

/** Names of other libraries, and of other places of this one, that mean the same but are not written alike. */
const SAME: readonly (readonly string[])[] = [
  ['delay', 'wait', 'delaySeconds', 'in', 'after'],
  ['at', 'when', 'startAfter', 'runAt', 'scheduledAt'],
];

/** The known name that was probably meant, if it is not too far from what was written. Case is no distance. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_CHARACTERS || known.length === 0) return undefined;
  const same = SAME.find((names) => names.includes(name))?.find((one) => known.includes(one));
  if (same !== undefined) return same;
  const written = name.toLowerCase();
  const lowered = known.map((one) => one.toLowerCase());
  const best = closest(written, lowered);
  if (distance(written, best) > limitOf(best)) return undefined;
  return known[lowered.indexOf(best)];
}

/** `; did you mean "default"?`, or nothing. @param shown as it is to be shown */
export function didYouMean(
  name: string,
  known: readonly string[],
  shown: (name: string) => string = JSON.stringify,
): string {
  const meant = nearest(name, known);
  return meant === undefined ? '' : `; did you mean ${shown(meant)}?`;
}

/** A name of two letters is another one after two changes. */
function limitOf({ length }: string): number {
  return length <= 2 ? 1 : Math.max(2, length / 3);
}
