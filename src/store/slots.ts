import type { SlotsAsk } from './store.js';

/** The slots of one run. */
export interface Slots {
  readonly count: number;
  readonly onArrival: boolean;
  /** Real time, epoch milliseconds. */
  readonly until: number;
}

export interface SlotCounts {
  readonly all: number;
  readonly onArrival: number;
}

export function countSlots(taken: Iterable<Slots>): SlotCounts {
  const counts = { all: 0, onArrival: 0 };
  for (const { count, onArrival } of taken) {
    counts.all += count;
    if (onArrival) counts.onArrival += count;
  }
  return counts;
}

/** Limit of the slots of all runs on arrivals: they leave half to the rules. */
export function mostOnArrival({ most }: SlotsAsk): number {
  return Math.floor(most / 2);
}

/** Number of slots that a run can have in all, beside those of other runs that have not run out. */
export function slotsFor(taken: ReadonlyMap<string, Slots>, ask: SlotsAsk): number {
  const others = [...taken].filter(([run, { until }]) => run !== ask.run && until >= ask.now);
  const counts = countSlots(others.map(([, slots]) => slots));
  const free = ask.most - counts.all;
  return Math.max(
    0,
    Math.min(ask.wanted, free, ask.onArrival ? mostOnArrival(ask) - counts.onArrival : free),
  );
}
