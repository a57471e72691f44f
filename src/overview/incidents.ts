import type { Cause } from '../operate/cause.js';
import { groupBy } from '../support/group-by.js';
import { type AlarmOn, alarmsOfQueues } from './alarms-on.js';
import type { RecentAttempts } from './failing.js';
import { incidentKeys } from './incident-keys.js';
import { type Sign, signsOf } from './signs.js';
import type { IncidentQueue, QueueView } from './snapshot.js';

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
  /** The queues that it is known to affect, the one with most waiting records first; of one that goes on, those in which it does. */
  readonly queues: readonly Queue[];
  /** The queues in which it is over, while it goes on in others. */
  readonly queuesBack: readonly Queue[];
  /** The first failure; of dead records, the time at which the first was given up. Undefined: not known. */
  readonly since: number | undefined;
  /** The latest failure; of dead records, the time at which the last was given up. Undefined: not known. */
  readonly lastFailureAt: number | undefined;
  /** The latest success since the first failure. Undefined: none is noted. */
  readonly lastSuccessAt: number | undefined;
  /** The time from which attempts succeed again, in all its queues. Undefined: they are not known to. */
  readonly backAt: number | undefined;
  /** The opening of its first breaker that is open. Undefined: none is. */
  readonly breakerSince: number | undefined;
  /** The time at which the last record of its queues is due: about the end, if it is back by then. Undefined: not known. */
  readonly lastDueAt: number | undefined;
  /**
   * The time of the next probe; one that has passed is due. Of open breakers it is exact. Without one it is about the time at which a
   * run attempts a record ahead of its time, if none is attempted before. Undefined: not known, or its queues make no probes.
   */
  readonly probeAt: number | undefined;
  /** The cause of the latest failure that is noted. Undefined: not known. */
  readonly cause: Cause | undefined;
  /** The attempts that say it, where they are counted by minute. */
  readonly attempts: RecentAttempts | undefined;
  /** The alarms of its queues that are on, and those that are of no queue: pages first. Undefined: not known. */
  readonly alarms?: readonly AlarmOn[] | undefined;
}

/**
 * An incident that is over, with nothing left of it that its queues are known to work off. Times are of the backlog, epoch
 * milliseconds.
 */
export interface EndedIncident<Queue extends IncidentQueue = QueueView>
  extends Pick<Incident<Queue>, 'destinations' | 'queues' | 'cause'> {
  /** The id that it had. A later incident of the same destination or queue has it again. */
  readonly id: string;
  /** The first failure. */
  readonly since: number;
  /** The recovery of the last of its queues. */
  readonly endedAt: number;
}

/**
 * The incidents of these queues in the order of their states, of each the one with most waiting records first.
 *
 * @param alarms those of the backlog that are on. Default: they are not known
 */
export function incidentsOf<Queue extends IncidentQueue>(
  queues: readonly Queue[],
  alarms?: readonly AlarmOn[],
): Incident<Queue>[] {
  const ongoing = episodesOf(queues).flatMap(({ id, signs }) => {
    if (signs.some(isFailing)) return [failingIncident(id, signs)];
    return signs.some(({ state }) => state === 'recovering') ? [recoveringIncident(id, signs)] : [];
  });
  const dead = queues.filter(({ stats }) => (stats.dead ?? 0) > 0);
  const incidents = [...ongoing, ...dead.map(deadIncident)].sort(worstFirst);
  if (!alarms) return incidents;
  const namesOf = ({ queues, queuesBack }: Incident<Queue>) =>
    [...queues, ...queuesBack].map(({ stats }) => stats.queue);
  // The alarms of a queue are about its outage, not about its dead records.
  return incidents.map((one) =>
    one.state === 'dead' ? one : { ...one, alarms: alarmsOfQueues(alarms, namesOf(one)) },
  );
}

/** The incidents of these queues that ended in the last day, the latest first, by the notes of runs. */
export function endedIncidents<Queue extends IncidentQueue>(
  queues: readonly Queue[],
): EndedIncident<Queue>[] {
  const over = episodesOf(queues).filter(({ signs }) => signs.every(({ state }) => state === 'ended'));
  return over
    .map(({ id, signs }): EndedIncident<Queue> => {
      const [since, endedAt] = [earliest(signs.map(beginning)), latest(signs.map((sign) => sign.endedAt))];
      return { id, ...partsOf(signs), since: since ?? 0, endedAt: endedAt ?? 0 };
    })
    .sort((one, other) => other.endedAt - one.endedAt);
}

/** Tells whether an incident goes on, as far as is known: something fails, or failed before a pause. */
export function goesOn({ state }: Pick<Incident, 'state'>): boolean {
  return state === 'failing' || state === 'unknown';
}

/** The signs of one incident: of all queues that it has affected. */
interface Episode<Queue> {
  readonly id: string;
  readonly signs: readonly Sign<Queue>[];
}

function episodesOf<Queue extends IncidentQueue>(queues: readonly Queue[]): Episode<Queue>[] {
  const signs = queues.filter(({ condition }) => condition !== 'unserved').flatMap(signsOf);
  const all = groupBy(signs, incidentKeys(signs));
  return [...all].flatMap(([id, its]) => inEpisodes(its).map((signs) => ({ id, signs })));
}

/** Groups signs by time: an incident that goes on has the outages that overlap with it, and outages that overlap are one. */
function inEpisodes<Queue>(signs: readonly Sign<Queue>[]): Sign<Queue>[][] {
  const ongoing = signs.filter(({ state }) => state !== 'ended');
  const ended = signs.filter(({ state }) => state === 'ended');
  const episodes = ongoing.length > 0 ? [ongoing] : [];
  let from = earliest(ongoing.map(beginning));
  for (const sign of ended.toSorted((one, other) => (other.endedAt ?? 0) - (one.endedAt ?? 0))) {
    const { since = 0, endedAt = 0 } = sign;
    const hasMet = from !== undefined && endedAt >= from;
    if (hasMet) episodes.at(-1)?.push(sign);
    else episodes.push([sign]);
    from = hasMet ? Math.min(from ?? since, since) : since;
  }
  return episodes;
}

function beginning({ since, endedAt }: Sign<unknown>): number | undefined {
  return since ?? endedAt;
}

function isFailing({ state }: Sign<unknown>): boolean {
  return state === 'failing' || state === 'unknown';
}

/** The parts that an incident keeps from its beginning to its end. */
function partsOf<Queue extends IncidentQueue>(signs: readonly Sign<Queue>[]) {
  const timeOf = ({ lastFailureAt, endedAt = 0 }: Sign<Queue>) => lastFailureAt ?? endedAt;
  const last = signs.toSorted((one, other) => timeOf(other) - timeOf(one));
  return {
    destinations: [...new Set(signs.flatMap(({ destination }) => destination ?? []))],
    queues: [...new Set(signs.map(({ queue }) => queue))].sort(mostWaiting),
    cause: last.find(({ cause }) => cause)?.cause,
  };
}

function failingIncident<Queue extends IncidentQueue>(
  id: string,
  all: readonly Sign<Queue>[],
): Incident<Queue> {
  const signs = all.filter(isFailing);
  const parts = partsOf(signs);
  const { queues } = parts;
  const breakers = signs.filter(({ isBreaker }) => isBreaker);
  return {
    ...{ id, ...parts },
    state: signs.every(({ state }) => state === 'unknown') ? 'unknown' : 'failing',
    queuesBack: partsOf(all).queues.filter((queue) => !queues.includes(queue)),
    since: earliest(all.map(({ since }) => since)),
    lastFailureAt: latest(signs.map(({ lastFailureAt }) => lastFailureAt)),
    lastSuccessAt: latest(signs.map(({ lastSuccessAt }) => lastSuccessAt)),
    backAt: undefined,
    breakerSince: earliest(breakers.map(({ breakerSince }) => breakerSince)),
    lastDueAt: lastDueOf(queues),
    // A breaker that is open lets no other probe pass.
    probeAt: earliest((breakers.length > 0 ? breakers : signs).map(({ probeAt }) => probeAt)),
    attempts: queues.length === 1 ? queues[0]?.failing : undefined,
  };
}

function recoveringIncident<Queue extends IncidentQueue>(
  id: string,
  signs: readonly Sign<Queue>[],
): Incident<Queue> {
  const parts = partsOf(signs);
  return {
    ...NOTHING_KNOWN,
    ...{ id, state: 'recovering', ...parts, since: earliest(signs.map(({ since }) => since)) },
    backAt: latest(signs.map(({ endedAt }) => endedAt)),
    lastDueAt: lastDueOf(parts.queues.filter(({ backAt }) => backAt !== undefined)),
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
  ...{
    destinations: [],
    queuesBack: [],
    since: undefined,
    lastFailureAt: undefined,
    lastSuccessAt: undefined,
  },
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
