import type { SlotsAsk } from './store.js';

/** What one run has. */
export interface Slots {
  readonly count: number;
  readonly onArrival: boolean;
  /** Real time, epoch milliseconds. */
  readonly until: number;
}

/** How many a run gets, beside what others have that have not run out. */
export function slotsFor(taken: ReadonlyMap<string, Slots>, ask: SlotsAsk): number {
  const others = [...taken].filter(([run, { until }]) => run !== ask.run && until >= ask.now);
  const countOf = (some: typeof others) => some.reduce((sum, [, { count }]) => sum + count, 0);
  const free = ask.most - countOf(others);
  const half = Math.floor(ask.most / 2) - countOf(others.filter(([, { onArrival }]) => onArrival));
  return Math.max(0, Math.min(ask.wanted, free, ask.onArrival ? half : free));
}
