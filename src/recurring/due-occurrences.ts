import { isPausedAt, pausedTime, type Schedule } from './schedule-record.js';

/** Most occurrences that one attempt inserts; the others follow a minute later. */
const MAX_AT_ONCE = 500;
/** The delay up to which an occurrence is not missed: five turns of the rule. */
const MAX_DELAY_MS = 5 * 60_000;

/** The occurrences to insert now, and what comes after them. */
export interface DueOccurrences {
  /** Epoch milliseconds, the earliest first. */
  readonly due: readonly number[];
  /** The first occurrence that is passed over, and that no pause has taken out. Undefined: none is. */
  readonly missed?: number | undefined;
  /** The next occurrence, epoch milliseconds. It may lie in the past, if there are many. Undefined: it was the last. */
  readonly next: number | undefined;
}

/** The occurrences of a schedule from `doneUntil` up to now, as its option `missed` has them. */
export function dueOccurrences(schedule: Schedule, now: number): DueOccurrences {
  const { missed } = schedule.payload;
  if (missed === 'all') return occurrencesUpTo(now, schedule);
  const { doneUntil, occurrences, payload } = schedule;
  const inTimeFrom = Math.max(doneUntil, now - MAX_DELAY_MS);
  const inTime = occurrencesUpTo(now, { ...schedule, doneUntil: inTimeFrom });
  const late = latestOf(schedule, inTimeFrom - 1);
  const due = inTime.due.length === 0 && late !== undefined && missed !== 'skip' ? [late] : inTime.due;
  const first = late === undefined ? undefined : occurrences.next(doneUntil - 1);
  const isMissed = first !== undefined && first !== due[0] && !isPausedAt(payload, first);
  return { due, missed: isMissed ? first : undefined, next: inTime.next };
}

function occurrencesUpTo(now: number, { occurrences, payload, doneUntil }: Schedule): DueOccurrences {
  const due: number[] = [];
  const { until } = pausedTime(payload);
  let at = occurrences.next(doneUntil - 1);
  while (at !== undefined && at <= now && due.length < MAX_AT_ONCE) {
    const isPaused = isPausedAt(payload, at);
    if (!isPaused) due.push(at);
    at = occurrences.next(isPaused ? Math.min(until - 1, now) : at);
  }
  return { due, next: at };
}

/** The latest occurrence up to a time that no pause has taken out. Undefined: there is none from `doneUntil` on. */
function latestOf({ occurrences, payload, doneUntil }: Schedule, time: number): number | undefined {
  const { from, until } = pausedTime(payload);
  return (
    occurrences.last(Math.max(doneUntil, until), time) ??
    occurrences.last(doneUntil, Math.min(time, from - 1))
  );
}
