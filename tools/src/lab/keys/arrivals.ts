import type { Random } from 'dynamo-backlog/engine';

/** A record that a producer puts. */
export interface Arrival {
  /** Milliseconds since the noise began; below 0 before that. */
  readonly at: number;
  readonly key: string;
}

/** Records of some keys within some time, at random. */
export function burst(keys: readonly string[], each: number, withinMs: number, random: Random): Arrival[] {
  const all = keys.flatMap((key) =>
    Array.from({ length: Math.round(each) }, () => ({ at: Math.floor(random() * withinMs), key })),
  );
  return inOrder(all);
}

/** Records at a steady rate. @param rank draws the number of a key */
export function steady(perSecond: number, seconds: number, rank: () => number, random: Random) {
  const all: { at: number; rank: number }[] = [];
  for (let at = 0; at < seconds * 1000; at += (-Math.log(1 - random()) * 1000) / perSecond)
    all.push({ at: Math.floor(at), rank: rank() });
  return all;
}

export function inOrder(arrivals: readonly Arrival[]): Arrival[] {
  return arrivals.toSorted((a, b) => a.at - b.at);
}
