import { age } from '../support/duration.js';
import { records } from './format.js';
import type { OverviewStats } from './queue-counts.js';

/** Signs before the counts of a queue's records. */
export const COUNT_SIGNS: Readonly<Record<OverviewStats['counted'], string>> = {
  exact: '',
  about: '≈ ',
  atLeast: '≥ ',
};

/** `≈ 602 records wait`. */
export function waitText({ pending, counted }: Pick<OverviewStats, 'pending' | 'counted'>): string {
  return `${COUNT_SIGNS[counted]}${records(pending)} ${pending === 1 ? 'waits' : 'wait'}`;
}

/** The exactness of the sum of such counts. */
export function leastExact(queues: readonly Pick<OverviewStats, 'counted'>[]): OverviewStats['counted'] {
  const all = queues.map(({ counted }) => counted);
  return all.includes('atLeast') ? 'atLeast' : all.includes('about') ? 'about' : 'exact';
}

/**
 * A queue whose counts are shown.
 *
 * @inline
 */
interface Shown {
  readonly stats: OverviewStats;
  /** The exactness of its number of records in retry. Default: that number is not shown. */
  readonly retryCounted?: OverviewStats['counted'] | undefined;
}

/** The meaning of the signs of these counts, and the age of the oldest of them. Empty: all are exact. */
export function signsText(queues: readonly Shown[], now: number): string[] {
  const times = queues.flatMap(({ stats: { countedAt, reading }, retryCounted }) => [
    ...(countedAt === undefined ? [] : [countedAt]),
    ...(retryCounted === 'about' && reading ? [reading.at] : []),
  ]);
  const ages = times.map((time) => now - Date.parse(time));
  const hasMore = queues.some(({ stats }) => stats.counted === 'atLeast');
  return [
    ...(ages.length > 0 ? [`≈ counted by the monitor up to ${age(Math.max(0, ...ages))} ago`] : []),
    ...(hasMore ? ['≥ there are more'] : []),
  ];
}
