import { isPausedAt, pausedTime, type Schedule } from './schedule-record.js';

/** Most occurrences that one attempt inserts; the others follow a minute later. */
const MAX_AT_ONCE = 500;
/** The delay up to which `skip` does not count an occurrence as missed: five turns of the rule. */
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
  return schedule.payload.missed === 'all' ? allDue(schedule, now) : newestDue(schedule, now);
}

function allDue({ occurrences, payload, doneUntil }: Schedule, now: number): DueOccurrences {
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

function newestDue({ occurrences, payload, doneUntil }: Schedule, now: number): DueOccurrences {
  const { from, until } = pausedTime(payload);
  const next = occurrences.next(now);
  const newest =
    occurrences.last(Math.max(doneUntil, until), now) ?? occurrences.last(doneUntil, Math.min(now, from - 1));
  if (newest === undefined) return { due: [], next };
  const isSkipped = payload.missed === 'skip' && now - newest > MAX_DELAY_MS;
  const first = occurrences.next(doneUntil - 1);
  const isFirst = first === newest || (first !== undefined && isPausedAt(payload, first));
  return {
    due: isSkipped ? [] : [newest],
    missed: isSkipped || !isFirst ? first : undefined,
    next,
  };
}
