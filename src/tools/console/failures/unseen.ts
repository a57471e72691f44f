import { attemptsWithin, latestMinutes } from '../../overview/failing.js';
import type { ConsoleDeps } from '../deps.js';
import { type FailureGroup, failedAt } from './groups.js';

/** Attempts of a queue that failed in the last minutes, and which no record that was read shows. */
export interface UnseenFailures {
  readonly queue: string;
  readonly failed: number;
  readonly minutes: number;
}

/** What only the local runtime's own counts say yet: the tables are read less often than attempts end. */
export function unseenFailures(
  { runtime, backlog }: ConsoleDeps,
  queues: readonly string[],
  groups: readonly FailureGroup[],
  now: number,
): UnseenFailures[] {
  if (!runtime) return [];
  const minutes = latestMinutes(backlog.clock?.speed ?? 1);
  return queues.flatMap((queue) => {
    const seen = Math.max(
      Number.NEGATIVE_INFINITY,
      ...groups.filter((group) => group.queue === queue).map(({ example }) => failedAt(example)),
    );
    // A minute in which a record that was read has failed is taken as seen.
    const later = runtime.minutesOf(queue).filter(({ at }) => at > seen);
    const { failed } = attemptsWithin(later, minutes, now);
    return failed === 0 ? [] : [{ queue, failed, minutes }];
  });
}
