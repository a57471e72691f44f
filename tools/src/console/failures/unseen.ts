import { attemptsWithin, type FailureCause, failingAttempts, latestMinutes } from 'dynamo-backlog/overview';
import type { ConsoleDeps } from '../deps.js';

/** Attempts of a queue that failed in the last minutes, and which no record that was read shows. */
export interface UnseenFailures {
  readonly queue: string;
  readonly failed: number;
  readonly minutes: number;
}

/** Failures that only the local runtime's own counts show yet: the tables are read less often than attempts end. */
export function unseenFailures(
  { runtime, backlog }: ConsoleDeps,
  queues: readonly string[],
  causes: readonly FailureCause[],
  now: number,
): UnseenFailures[] {
  if (!runtime) return [];
  const speed = backlog.clock?.speed ?? 1;
  const minutes = latestMinutes(speed);
  return queues.flatMap((queue) => {
    const own = causes.flatMap(({ queues: all }) => all).filter((one) => one.queue === queue);
    if (own.some(({ lastAt = 0 }) => lastAt > now - minutes * 60_000)) return [];
    const counts = runtime.minutesOf(queue);
    // Beside the failures of a page, a record that failed once and has succeeded since is no news.
    if (causes.length > 0 && !failingAttempts(counts, now, speed)) return [];
    const { failed } = attemptsWithin(counts, minutes, now);
    return failed === 0 ? [] : [{ queue, failed, minutes }];
  });
}
