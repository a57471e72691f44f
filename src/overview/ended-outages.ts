import { type FailingNotes, MIN_RECORDS, type PastOutage, WHOLE_QUEUE } from '../record/index.js';

const DAY_SECONDS = 86_400;
/** A recovery that lies further ahead is of another clock. */
const MAX_AHEAD_SECONDS = 600;

/**
 * The outages of a queue that ended in the last day, by the notes of its runs. That of the whole queue is left out where one of a
 * destination explains it.
 *
 * @param failing the groups that fail, or failed before a pause
 * @param backAt the time at which the queue has recovered, though notes may not say so yet, epoch milliseconds
 * @param now the backlog's time, epoch milliseconds
 */
export function endedOutages(
  { notes, past }: FailingNotes,
  failing: FailingNotes['notes'],
  { backAt, now }: { readonly backAt: number | undefined; readonly now: number },
): PastOutage[] {
  // The note of an outage stays until successes have outweighed it.
  const left = notes.flatMap(({ group, since, records, error }): PastOutage[] => {
    const endedAt = (backAt ?? 0) / 1000;
    const isKnown = [...failing, ...past.filter((one) => one.endedAt >= since)].some(
      (one) => one.group === group,
    );
    return since < endedAt && records >= MIN_RECORDS && !isKnown ? [{ group, since, endedAt, error }] : [];
  });
  const all = [...left, ...past].filter(({ endedAt }) => {
    const ago = now / 1000 - endedAt;
    return ago < DAY_SECONDS && ago > -MAX_AHEAD_SECONDS;
  });
  const ofDestinations = [
    ...failing.map((note) => ({ ...note, endedAt: Number.POSITIVE_INFINITY })),
    ...all,
  ].filter(({ group }) => group !== WHOLE_QUEUE);
  return all.filter(
    ({ group, since, endedAt }) =>
      group !== WHOLE_QUEUE || !ofDestinations.some((one) => one.since <= endedAt && one.endedAt >= since),
  );
}
