import { COUNT_SIGNS, waitText } from './count-signs.js';
import { records } from './format.js';
import { incidentText } from './incident-text.js';
import { goesOn, incidentsOf } from './incidents.js';
import { isAnnounced } from './pause-text.js';
import { runTroubles } from './run-text.js';
import { heldText, isUnsure, lateText, unservedText } from './sentence.js';
import type { QueueView, Snapshot } from './snapshot.js';

/** Age of the monitor's reading beyond which it says nothing about now. The monitor comes every five minutes. */
const OLD_MS = 15 * 60_000;
/** The monitor counts a queue again after this time for each record. */
const COUNT_MS_PER_RECORD = 10;

/**
 * The lines of a check, for scripts: each names one thing that is wrong, or that is not known: an incident, or a fault of one queue. Empty: nothing is
 * wrong. A pause whose announced end lies ahead is no trouble.
 */
export function troublesOf(snapshot: Snapshot): string[] {
  const { queues = [], rules, now } = snapshot;
  const watched = queues.filter(({ stats }) => !isAnnounced(stats, now));
  const ongoing = incidentsOf(watched).filter(goesOn);
  const missed = rules.filter((rule) => rule.missed).map(({ rule }) => `${rule.label} missed a run.`);
  return [
    ...ongoing.map((incident) => incidentText(incident, now)),
    ...queues.flatMap((view) => ofQueue(view, now)),
    ...runTroubles({ ...snapshot, queues: watched }).map(({ text }) => text),
    ...missed,
  ];
}

function ofQueue(view: QueueView, now: number): string[] {
  const { stats, unserved, isLate } = view;
  const isSilent = isAnnounced(stats, now);
  return [
    ...(unserved ? [unservedText(view)] : []),
    ...(isLate && !isSilent ? [lateText(view, now)] : []),
    ...(view.held ? [heldText(view)] : []),
    ...(stats.dead > 0
      ? [`${stats.queue} has ${COUNT_SIGNS[stats.counted]}${records(stats.dead, 'dead')}.`]
      : []),
    ...(isKnown(view, now) || isSilent
      ? []
      : [
          `${stats.queue}: it is not known whether attempts succeed, as the monitor has not read the queue lately.`,
        ]),
    ...(isAllInRetry(view) && !isSilent
      ? [`${stats.queue}: ${waitText(stats)}, all after failed attempts, and no success of late is known.`]
      : []),
  ];
}

/** Tells whether failures would show: the local runtime sees each attempt, and the notes of runs count beside a monitor. */
function isKnown({ recent, stats: { reading, pending, dead } }: QueueView, now: number): boolean {
  if (recent !== undefined) return true;
  // A reading that is far ahead is of another clock: it says as little about now.
  const age = Math.abs(now - Date.parse(reading?.at ?? ''));
  return age < OLD_MS + 2 * COUNT_MS_PER_RECORD * (pending + dead);
}

/** Tells whether nothing but failures is known, and they are no incident yet: that is no evidence that attempts succeed. */
function isAllInRetry(view: QueueView): boolean {
  const { stats, inRetry = 0, recent, isFailing, backAt, breakers } = view;
  const isSaid = isFailing || breakers.length > 0;
  const hasSucceeded = (recent?.succeeded ?? 0) > 0 || backAt !== undefined || !isUnsure(view);
  return stats.pending > 0 && inRetry >= stats.pending && !isSaid && !hasSucceeded;
}
