import type { BacklogRecord } from '../record/index.js';
import { isPending } from '../record/index.js';
import { isPausedAt, pausedTime, readSchedule, type Schedule } from './schedule-record.js';

/** An occurrence whose time has come. */
export interface PastOccurrence {
  /** Epoch milliseconds. */
  readonly at: number;
  /** The recurring record was paused then, as far as its present or latest pause says it. */
  readonly wasPaused: boolean;
}

/** The next occurrences of a schedule that will be inserted, epoch milliseconds, the earliest first. Empty: none will. */
export function nextOccurrences(record: BacklogRecord, now: number, count: number): number[] {
  const schedule = isPending(record) ? readSchedule(record).schedule : undefined;
  const times: number[] = [];
  let at = schedule && nextFrom(schedule, Math.max(schedule.doneUntil, now));
  while (schedule && at !== undefined && times.length < count) {
    times.push(at);
    at = nextFrom(schedule, at + 1);
  }
  return times;
}

/** The latest occurrences since a schedule was made, the newest first. Empty also for one that cannot be read. */
export function latestOccurrences(record: BacklogRecord, now: number, count: number): PastOccurrence[] {
  const { schedule } = readSchedule(record);
  const past: PastOccurrence[] = [];
  const since = Date.parse(record.insertedAt);
  let at = schedule?.occurrences.last(since, now);
  while (schedule && at !== undefined && past.length < count) {
    past.push({ at, wasPaused: isPausedAt(schedule.payload, at) });
    at = schedule.occurrences.last(since, at - 1);
  }
  return past;
}

/** The first occurrence from a time on that is inserted: behind the pause, if there is one. Undefined: none. */
export function nextFrom({ payload, occurrences }: Schedule, from: number): number | undefined {
  const next = occurrences.next(from - 1);
  if (next === undefined || !isPausedAt(payload, next)) return next;
  const { until } = pausedTime(payload);
  return Number.isFinite(until) ? occurrences.next(until - 1) : undefined;
}
