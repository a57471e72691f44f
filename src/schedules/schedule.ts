/** Times at which a rule or a schedule fires, in epoch milliseconds. */
export interface Schedule {
  /** The first firing after `after`. A rate counts from the creation; a cron ignores it. */
  next(after: number, createdAt: number): number | undefined;
  /** The time between two firings where it is constant. */
  readonly everyMs?: number | undefined;
}

/** Limit of a count. More firings are not counted, only made up for. */
const MAX_COUNTED = 1_000;

/** Counts the firings after `from`, up to and with `to`. */
export function countFirings(schedule: Schedule, from: number, to: number, createdAt: number): number {
  if (schedule.everyMs !== undefined) return Math.floor((to - from) / schedule.everyMs);
  let count = 0;
  for (let at = schedule.next(from, createdAt); at !== undefined && at <= to; ) {
    count += 1;
    if (count === MAX_COUNTED) break;
    at = schedule.next(at, createdAt);
  }
  return count;
}
