/**
 * Due times, as they are kept by rules that fire once per tick. A record is attempted by the first run that finds it
 * due, so a wait is stored with the tick in mind:
 *
 *     a tick or more      half a tick earlier: the run of the nearest tick takes it, whatever the rule's phase
 *     less than a tick    to the second, with a mark: a run of its own is started for it, unless it is longer than 15 minutes
 *     never early         as it is (`rounding: 'up'`), or no earlier than the policy's minimum
 *
 * What others ask for (`Retry-After`, a snooze, `availableAt`) is stored as it is, and never kept early.
 */

/**
 * The milliseconds of a due time that is kept to the second, such as `12:00:35.001Z`. The index holds only keys, so this
 * mark tells a run that was started for such times which records are its own, without reading them. One in a thousand other
 * times has the mark by chance: it is kept to the second, too, which does no harm.
 */
const MARK_MS = 1;
const MARK = `.${String(MARK_MS).padStart(3, '0')}Z`;

/** The longest wait that is kept to the second: a message of SQS is delayed by no more. */
export const MAX_EXACT_SECONDS = 900;

/** Tells whether a due time of the index (ISO-8601) is kept to the second. */
export function isExact(dueAt: string): boolean {
  return dueAt.endsWith(MARK);
}

/**
 * The due time of a wait of a tick or more. Epoch milliseconds.
 *
 * @param wanted when the wait is over, by the policy
 * @param earliest no run takes the record before: the time of the failure, or the end of a wait that is never kept early
 */
export function nearestTick(wanted: number, earliest: number, tickSeconds: number): number {
  const dueAt = Math.ceil(Math.max(earliest, wanted - (tickSeconds * 1000) / 2));
  return dueAt % 1000 === MARK_MS ? dueAt + 1 : dueAt;
}

/** The due time of a wait of less than a tick: in the second that it ends in. */
export function exactly(wanted: number, earliest: number): number {
  const before = Math.floor(wanted / 1000) * 1000 + MARK_MS;
  return before < earliest ? noEarlierThan(earliest) : before;
}

/** The first due time from then on that is kept to the second. */
export function noEarlierThan(time: number): number {
  return Math.ceil((time - MARK_MS) / 1000) * 1000 + MARK_MS;
}
