import type { Job } from 'dynamo-backlog/engine';
import {
  type AlarmOn,
  type EndedIncident,
  errorText,
  type Incident,
  nextProbe,
  shortened,
} from 'dynamo-backlog/overview';
import { type Deed, deedsOf } from '../jobs/deeds.js';
import { runbookPage } from '../runbook.js';

/** Most characters of a text that others wrote into the tables. */
const MAX_FOREIGN = 200;
/** Most things that operators have done, the latest ones. */
const MAX_DEEDS = 20;
export const bounded = (text: string) => shortened(text, MAX_FOREIGN);

/** Facts beside the incidents. */
interface Known {
  /** The runbook of the stack, if it has one of its own. */
  readonly runbookUrl: string | undefined;
  readonly jobs: readonly Job[];
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
}

/** The incidents for programs, the worst first. What is not known is missing. Times are ISO-8601. */
export function incidentsJson(incidents: readonly Incident[], { runbookUrl, jobs, now }: Known) {
  return incidents.map((incident) => {
    const { id, state, queuesBack, since, lastFailureAt, lastSuccessAt, backAt } = incident;
    const { breakerSince, lastDueAt, alarms } = incident;
    return {
      id: bounded(id),
      state,
      ...partsOf(incident),
      queuesBack: queuesBack.length === 0 ? undefined : namesOf(queuesBack),
      waiting: state === 'dead' ? undefined : waitingOf(incident),
      since: isoOf(since),
      lastFailureAt: isoOf(lastFailureAt),
      lastSuccessAt: isoOf(lastSuccessAt),
      breakerSince: isoOf(breakerSince),
      probeAt: isoOf(nextProbe(incident, now)),
      backAt: isoOf(backAt),
      lastedSeconds: backAt === undefined || since === undefined ? undefined : secondsOf(backAt - since),
      lastDueAt: isoOf(lastDueAt),
      alarms: alarms?.map(alarmJson),
      operators: deedsOf(incident, jobs).slice(0, MAX_DEEDS).map(deedJson),
      runbook: runbookUrl && runbookPage(runbookUrl, state),
    };
  });
}

/** The incidents that ended in the last day for programs, the latest first. */
export function endedJson(ended: readonly EndedIncident[]) {
  return ended.map((one) => ({
    ...{ id: bounded(one.id), ...partsOf(one) },
    ...{ since: isoOf(one.since), endedAt: isoOf(one.endedAt) },
    lastedSeconds: secondsOf(one.endedAt - one.since),
  }));
}

function partsOf({ destinations, queues, cause }: Pick<Incident, 'destinations' | 'queues' | 'cause'>) {
  return {
    destinations: destinations.map(bounded),
    queues: namesOf(queues),
    error: cause && bounded(errorText(cause)),
  };
}

function namesOf(queues: Incident['queues']): string[] {
  return queues.map(({ stats }) => bounded(stats.queue));
}

function waitingOf({ queues }: Incident): number {
  return queues.reduce((sum, { stats }) => sum + stats.pending, 0);
}

function alarmJson({ name, level, since, muted }: AlarmOn) {
  return {
    ...{ name: bounded(name), level, since: isoOf(since) },
    ...{ mutedUntil: isoOf(muted?.until), muteNote: muted && bounded(muted.note) },
  };
}

function deedJson({ by, what, at }: Deed) {
  return { by: bounded(by), what: bounded(what), at: isoOf(at) };
}

function isoOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

function secondsOf(ms: number): number {
  return Math.max(0, Math.round(ms / 1000));
}
