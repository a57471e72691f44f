import type { QueueState } from '../store/store.js';

/** The ages of the last reading, by queue, in seconds. A process that has just begun knows none. */
export type LastAges = Map<string, number>;

/** Time after a pause in which the runs begin to work off what has waited. */
const FIRST_RUNS_MS = 180_000;

/**
 * The lateness to report: 0 until the announced end of a pause, and after a pause while it falls. A pause without an announced
 * end is reported as any lateness: it may have been forgotten.
 */
export function reportedAge(
  queue: string,
  age: number,
  { paused, pausedUntil, resumedAt }: Pick<QueueState, 'paused' | 'pausedUntil' | 'resumedAt'>,
  { now, last }: { readonly now: number; readonly last: LastAges },
): number {
  const before = last.get(queue) ?? Number.POSITIVE_INFINITY;
  last.set(queue, age);
  if (paused) return now < timeOf(pausedUntil) ? 0 : age;
  const resumed = timeOf(resumedAt);
  // The operator's clock may be ahead of the monitor's. A time beyond that is damaged, and would hide lateness until it comes.
  const isKnown = resumed - now < FIRST_RUNS_MS;
  const isLateOfPause = isKnown && now - age * 1000 <= resumed;
  return isLateOfPause && (age < before || now - resumed < FIRST_RUNS_MS) ? 0 : age;
}

/** Tells whether no run has attempted the queue's records, as it is paused, or its first runs have hardly begun. */
export function isUnknownByPause(
  { paused, resumedAt }: Pick<QueueState, 'paused' | 'resumedAt'>,
  now: number,
): boolean {
  const sinceResume = now - timeOf(resumedAt);
  return paused || (sinceResume > -FIRST_RUNS_MS && sinceResume < FIRST_RUNS_MS);
}

/** Epoch milliseconds; 0 for what is no time. */
function timeOf(text: string | undefined): number {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? 0 : time;
}
