import type { Cause } from '../operate/cause.js';
import { groupBy } from '../support/group-by.js';
import { type AlarmOn, alarmsOfQueues } from './alarms-on.js';
import type { RecentAttempts } from './failing.js';
import type { QueueView } from './snapshot.js';

/** States of incidents, the worst first. */
const STATES = ['failing', 'unknown', 'recovering', 'dead'] as const;
/** The state of an incident. */
export type IncidentState = (typeof STATES)[number];

/**
 * A fault that one or several queues share: a destination that fails, or a queue whose records have no destination. It is made of
 * what an overview reads anyway: the notes of the runs, the open breakers and, in a local runtime, the attempts by minute. Times
 * are of the backlog, epoch milliseconds.
 */
export interface Incident<Queue extends IncidentQueue = QueueView> {
  /** Stays the same while the incident lasts. */
  readonly id: string;
  /**
   * `failing`: no recovery is known. `unknown`: it failed when its queues were paused, and nothing is known since. `recovering`: attempts
   * succeed again, and records are left that had failed. `dead`: records were given up, and are stored still.
   */
  readonly state: IncidentState;
  /** The destinations that fail; empty: the whole queue. */
  readonly destinations: readonly string[];
  /** The queues that it is known to affect, the one with most waiting records first. */
  readonly queues: readonly Queue[];
  /** The first failure; of dead records, the time at which the first was given up. Undefined: not known. */
  readonly since: number | undefined;
  /** The latest failure; of dead records, the time at which the last was given up. Undefined: not known. */
  readonly lastFailureAt: number | undefined;
  /** The latest success since the first failure. Undefined: none is noted. */
  readonly lastSuccessAt: number | undefined;
  /** The time from which attempts succeed again. Undefined: they are not known to. */
  readonly backAt: number | undefined;
  /** The opening of its first breaker that is open. Undefined: none is. */
  readonly breakerSince: number | undefined;
  /** The time at which the last record of its queues is due: about the end, if it is back by then. Undefined: not known. */
  readonly lastDueAt: number | undefined;
  /** The time of the next probe of its breakers; one that has passed is due. Undefined: none of them is open. */
  readonly probeAt: number | undefined;
  /** The cause of the latest failure that is noted. Undefined: not known. */
  readonly cause: Cause | undefined;
  /** The attempts that say it, where they are counted by minute. */
  readonly attempts: RecentAttempts | undefined;
  /** The alarms of its queues that are on, and those that are of no queue: pages first. Undefined: not known. */
  readonly alarms?: readonly AlarmOn[] | undefined;
}

/** The part of a `QueueView` that incidents are made of. */
export interface IncidentQueue
  extends Pick<
    QueueView,
    'condition' | 'breakers' | 'failingGroups' | 'unknownGroups' | 'earlyNotes' | 'failing' | 'backAt'
  > {
  /** Its name, its records, and their times where they are known. */
  readonly stats: Pick<QueueView['stats'], 'queue' | 'pending'> &
    Partial<Pick<QueueView['stats'], 'dead' | 'lastDueAt' | 'firstDeadAt' | 'lastDeadAt'>>;
}

/** The evidence of one queue that a destination, or the queue itself, fails. */
interface Sign<Queue> {
  readonly queue: Queue;
  readonly destination: string | undefined;
  /** It was so before a pause. */
  readonly isOld?: boolean | undefined;
  readonly since?: number | undefined;
  readonly lastFailureAt?: number | undefined;
  readonly lastSuccessAt?: number | undefined;
  readonly breakerSince?: number | undefined;
  readonly probeAt?: number | undefined;
  readonly cause?: Cause | undefined;
}

/** The names that a breaker has for all records of a queue, and for those without a known destination. */
const NO_DESTINATIONS = new Set(['', '*', '?']);
/** Destinations of one queue, and of no other, that are one incident: rather the queue is at fault. */
const MANY = 3;

/**
 * The incidents of these queues in the order of their states, of each the one with most waiting records first.
 *
 * @param alarms those of the backlog that are on. Default: they are not known
 */
export function incidentsOf<Queue extends IncidentQueue>(
  queues: readonly Queue[],
  alarms?: readonly AlarmOn[],
): Incident<Queue>[] {
  const signs = queues.filter(({ condition }) => condition !== 'unserved').flatMap(signsOf);
  const byDestination = groupBy(signs, ({ destination }) => destination);
  const isOwn = ({ destination }: Sign<Queue>) => {
    const all = byDestination.get(destination) ?? [];
    return destination !== undefined && all.every(({ queue }) => queue === all[0]?.queue);
  };
  const ownOf = groupBy(signs.filter(isOwn), ({ queue }) => queue);
  const keyOf = (sign: Sign<Queue>) => {
    const own = new Set(ownOf.get(sign.queue)?.map(({ destination }) => destination));
    const isOfQueue = sign.destination === undefined || (isOwn(sign) && own.size >= MANY);
    return isOfQueue ? `queue ${sign.queue.stats.queue}` : `destination ${sign.destination}`;
  };
  const failing = [...groupBy(signs, keyOf)].map(([id, its]) => failingIncident(id, its));
  const dead = queues.filter(({ stats }) => (stats.dead ?? 0) > 0);
  const isFailing = new Set(signs.map(({ queue }) => queue));
  const back = queues.filter((queue) => queue.backAt !== undefined && !isFailing.has(queue));
  const incidents = [...failing, ...back.map(recoveringIncident), ...dead.map(deadIncident)].sort(worstFirst);
  if (!alarms) return incidents;
  const namesOf = (incident: Incident<Queue>) => incident.queues.map(({ stats }) => stats.queue);
  // The alarms of a queue are about its outage, not about its dead records.
  return incidents.map((one) =>
    one.state === 'dead' ? one : { ...one, alarms: alarmsOfQueues(alarms, namesOf(one)) },
  );
}

/** Tells whether an incident goes on, as far as is known: something fails, or failed before a pause. */
export function goesOn({ state }: Pick<Incident, 'state'>): boolean {
  return state === 'failing' || state === 'unknown';
}

/** The signs of one queue. What its destinations explain is not said of the whole queue again. */
function signsOf<Queue extends IncidentQueue>(queue: Queue): Sign<Queue>[] {
  const { breakers, failingGroups = [], unknownGroups = [], earlyNotes = [], failing } = queue;
  const ofBreakers = breakers.map(({ destination, since, until }): Sign<Queue> => {
    const isKnown = since > 0 && Number.isFinite(since + until);
    const times = isKnown ? { since, breakerSince: since, probeAt: until } : {};
    return { queue, destination: named(destination), ...times };
  });
  const ofGroups = [...failingGroups, ...unknownGroups].map(
    ({ group, since, lastAt, lastSuccessAt, error }): Sign<Queue> => ({
      isOld: unknownGroups.length > 0,
      ...{ queue, destination: named(group), since: since * 1000, lastFailureAt: lastAt * 1000 },
      lastSuccessAt: lastSuccessAt === undefined ? undefined : lastSuccessAt * 1000,
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
    return [{ queue, destination: undefined, since: failing.since }];
  return [
    {
      queue,
      destination: early.group,
      since: failing.since,
      lastFailureAt: early.lastAt * 1000,
      cause: causeIn(early.error),
    },
  ];
}

/** The cause that a note has, `HttpError 503` for one. */
function causeIn(text: string): Cause | undefined {
  const [, error = '', status] = /^(.*?)(?: ([3-5]\d\d))?$/s.exec(text) ?? [];
  return error === '' ? undefined : { error, ...(status !== undefined && { status: Number(status) }) };
}

function named(destination: string): string | undefined {
  return NO_DESTINATIONS.has(destination) ? undefined : destination;
}

function failingIncident<Queue extends IncidentQueue>(
  id: string,
  signs: readonly Sign<Queue>[],
): Incident<Queue> {
  const last = signs.toSorted((one, other) => (other.lastFailureAt ?? 0) - (one.lastFailureAt ?? 0));
  const queues = [...new Set(signs.map(({ queue }) => queue))].sort(mostWaiting);
  return {
    id,
    state: signs.every(({ isOld }) => isOld) ? 'unknown' : 'failing',
    destinations: [...new Set(signs.flatMap(({ destination }) => destination ?? []))],
    queues,
    since: earliest(signs.map(({ since }) => since)),
    lastFailureAt: last[0]?.lastFailureAt,
    lastSuccessAt: latest(signs.map(({ lastSuccessAt }) => lastSuccessAt)),
    backAt: undefined,
    breakerSince: earliest(signs.map(({ breakerSince }) => breakerSince)),
    lastDueAt: lastDueOf(queues),
    probeAt: earliest(signs.map(({ probeAt }) => probeAt)),
    cause: last.find(({ cause }) => cause)?.cause,
    attempts: queues.length === 1 ? queues[0]?.failing : undefined,
  };
}

function recoveringIncident<Queue extends IncidentQueue>(queue: Queue): Incident<Queue> {
  return {
    ...NOTHING_KNOWN,
    ...{ id: `queue ${queue.stats.queue}`, state: 'recovering', queues: [queue] },
    ...{ backAt: queue.backAt, lastDueAt: lastDueOf([queue]) },
  };
}

function deadIncident<Queue extends IncidentQueue>(queue: Queue): Incident<Queue> {
  const { queue: name, firstDeadAt, lastDeadAt } = queue.stats;
  return {
    ...NOTHING_KNOWN,
    ...{ id: `dead ${name}`, state: 'dead', queues: [queue] },
    ...{ since: timeOf(firstDeadAt), lastFailureAt: timeOf(lastDeadAt) },
  };
}

const NOTHING_KNOWN = {
  ...{ destinations: [], since: undefined, lastFailureAt: undefined, lastSuccessAt: undefined },
  ...{ backAt: undefined, breakerSince: undefined, probeAt: undefined, lastDueAt: undefined },
  ...{ cause: undefined, attempts: undefined },
};

/** The last due time of all. A queue of which it is not known may have a later one. */
function lastDueOf(queues: readonly IncidentQueue[]): number | undefined {
  const times = queues.filter(({ stats }) => stats.pending > 0).map(({ stats }) => timeOf(stats.lastDueAt));
  return times.includes(undefined) ? undefined : latest(times);
}

/** Epoch milliseconds. Undefined: it is no time, as any service may write one. */
function timeOf(iso: string | undefined): number | undefined {
  const time = Date.parse(iso ?? '');
  return Number.isNaN(time) ? undefined : time;
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function latest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function mostWaiting(one: IncidentQueue, other: IncidentQueue): number {
  return other.stats.pending - one.stats.pending;
}

function worstFirst(one: Incident<IncidentQueue>, other: Incident<IncidentQueue>): number {
  if (one.state !== other.state) return STATES.indexOf(one.state) - STATES.indexOf(other.state);
  const waiting = ({ queues }: Incident<IncidentQueue>) =>
    queues.reduce((sum, { stats }) => sum + stats.pending, 0);
  return waiting(other) - waiting(one) || (one.id < other.id ? -1 : 1);
}
