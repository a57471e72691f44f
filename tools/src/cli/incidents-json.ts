import { type AlarmOn, errorText, type Incident, shortened } from 'dynamo-backlog/overview';
import { runbookPage } from '../runbook.js';

/** Most characters of a text that others wrote into the tables. */
const MAX_FOREIGN = 200;
export const bounded = (text: string) => shortened(text, MAX_FOREIGN);

/**
 * The incidents for programs, the worst first. What is not known is missing. Times are ISO-8601.
 *
 * @param runbookUrl of the stack, if it has one of its own
 */
export function incidentsJson(incidents: readonly Incident[], runbookUrl: string | undefined) {
  return incidents.map(
    ({ id, state, destinations, queues, since, lastFailureAt, backAt, lastDueAt, cause, alarms }) => ({
      id: bounded(id),
      state,
      destinations: destinations.map(bounded),
      queues: queues.map(({ stats }) => bounded(stats.queue)),
      since: isoOf(since),
      lastFailureAt: isoOf(lastFailureAt),
      backAt: isoOf(backAt),
      lastDueAt: isoOf(lastDueAt),
      error: cause && bounded(errorText(cause)),
      alarms: alarms?.map(alarmJson),
      runbook: runbookUrl && runbookPage(runbookUrl, state),
    }),
  );
}

function alarmJson({ name, level, since, muted }: AlarmOn) {
  return {
    ...{ name: bounded(name), level, since: isoOf(since) },
    ...{ mutedUntil: isoOf(muted?.until), muteNote: muted && bounded(muted.note) },
  };
}

function isoOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
