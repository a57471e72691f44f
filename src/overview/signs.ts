import type { Cause } from '../operate/cause.js';
import { PROBE_SECONDS } from '../record/index.js';
import type { IncidentQueue } from './snapshot.js';

/** The evidence of one queue that a destination, or the queue itself, fails or has failed. Times are epoch milliseconds. */
export interface Sign<Queue> {
  readonly queue: Queue;
  readonly destination: string | undefined;
  /** `unknown`: it failed before a pause. `recovering`: it is over, and records are left. `ended`: it is over. */
  readonly state: 'failing' | 'unknown' | 'recovering' | 'ended';
  readonly since?: number | undefined;
  /** The recovery. Undefined: none is known. */
  readonly endedAt?: number | undefined;
  readonly lastFailureAt?: number | undefined;
  readonly lastSuccessAt?: number | undefined;
  readonly isBreaker?: true | undefined;
  readonly breakerSince?: number | undefined;
  readonly probeAt?: number | undefined;
  readonly cause?: Cause | undefined;
}

/** The names that a breaker has for all records of a queue, and for those without a known destination. */
const NO_DESTINATIONS = new Set(['', '*', '?']);
/** Destinations of a queue that recover within this time of the last one recover with it. */
const TOGETHER_MS = 10 * 60_000;

/** The signs of one queue: what fails, and its outages of the last day. */
export function signsOf<Queue extends IncidentQueue>(queue: Queue): Sign<Queue>[] {
  const failing = failingSigns(queue);
  return [...failing, ...overSigns(queue, failing.length === 0 ? queue.backAt : undefined)];
}

/** The signs of what fails. What its destinations explain is not said of the whole queue again. */
function failingSigns<Queue extends IncidentQueue>(queue: Queue): Sign<Queue>[] {
  const { breakers, failingGroups = [], unknownGroups = [], earlyNotes = [], failing } = queue;
  const state = 'failing';
  const ofBreakers = breakers.map(({ destination, since, until }): Sign<Queue> => {
    const isKnown = since > 0 && Number.isFinite(since + until);
    const times = isKnown ? { since, breakerSince: since, probeAt: until } : {};
    return { queue, destination: named(destination), state, isBreaker: true, ...times };
  });
  const ofGroups = [...failingGroups, ...unknownGroups].map(
    ({ group, since, lastAt, lastSuccessAt, countedAt, error }): Sign<Queue> => ({
      state: unknownGroups.length > 0 ? 'unknown' : state,
      ...{ queue, destination: named(group), since: since * 1000, lastFailureAt: lastAt * 1000 },
      lastSuccessAt: lastSuccessAt === undefined ? undefined : lastSuccessAt * 1000,
      probeAt: isProbed(queue) ? (countedAt + PROBE_SECONDS) * 1000 : undefined,
      cause: causeIn(error),
    }),
  );
  const all = [...ofBreakers, ...ofGroups];
  const ofDestinations = all.filter(({ destination }) => destination !== undefined);
  if (ofDestinations.length > 0) return ofDestinations;
  if (all.length > 0 || !failing) return all;
  // The notes of few records are no outage yet, but name the destination.
  const [early, ...others] = earlyNotes.filter(({ group }) => named(group) !== undefined);
  if (early === undefined || others.length > 0)
    return [{ queue, destination: undefined, state, since: failing.since }];
  return [
    {
      ...{ queue, destination: early.group, state, since: failing.since },
      lastFailureAt: early.lastAt * 1000,
      cause: causeIn(early.error),
    },
  ];
}

/** The signs of what is over. @param backAt the time at which the queue has recovered, if records are left that had failed */
function overSigns<Queue extends IncidentQueue>(queue: Queue, backAt: number | undefined): Sign<Queue>[] {
  const over = (queue.endedOutages ?? []).map((outage): Sign<Queue> => {
    const endedAt = outage.endedAt * 1000;
    const isLast = backAt !== undefined && endedAt >= backAt - TOGETHER_MS;
    return {
      ...{
        queue,
        destination: named(outage.group),
        since: outage.since * 1000,
        cause: causeIn(outage.error),
      },
      // The attempts tell it some minutes before the notes do.
      ...(isLast ? { state: 'recovering', endedAt: Math.min(endedAt, backAt) } : { state: 'ended', endedAt }),
    };
  });
  if (backAt === undefined || over.some(({ state }) => state === 'recovering')) return over;
  const { failedSince: since } = queue;
  return [...over, { queue, destination: undefined, state: 'recovering', since, endedAt: backAt }];
}

/** Tells whether its runs probe what fails, unless the queue is paused. */
function isProbed({ stats: { retryMode, reading }, unknownGroups }: IncidentQueue): boolean {
  return retryMode === 'perRecord' && reading?.probes !== false && unknownGroups === undefined;
}

/** The cause that a note has, `HttpError 503` for one. */
function causeIn(text: string): Cause | undefined {
  const [, error = '', status] = /^(.*?)(?: ([3-5]\d\d))?$/s.exec(text) ?? [];
  return error === '' ? undefined : { error, ...(status !== undefined && { status: Number(status) }) };
}

function named(destination: string): string | undefined {
  return NO_DESTINATIONS.has(destination) ? undefined : destination;
}
