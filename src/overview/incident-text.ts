import { errorText } from '../operate/cause.js';
import { age } from '../support/duration.js';
import { COUNT_SIGNS, leastExact, waitText } from './count-signs.js';
import { counted, minuteText, names, records } from './format.js';
import type { EndedIncident, Incident } from './incidents.js';
import type { QueueView } from './snapshot.js';

/** `erp.example.com (HttpError 503)`, `orders`, `5 destinations of orders`: the name of an incident. */
export function incidentName({
  destinations,
  queues,
  cause,
}: Pick<Incident, 'destinations' | 'queues' | 'cause'>): string {
  const queue = queues[0]?.stats.queue ?? '';
  const [destination = queue, second] = destinations;
  const who = second === undefined ? destination : `${destinations.length} destinations of ${queue}`;
  return cause === undefined ? who : `${who} (${errorText(cause)})`;
}

/**
 * The sentence of an incident:
 *
 *     erp.example.com has failed since 14:05 UTC: breaker open, next probe in 4 min; ≈ 766 records wait in orders and bulk.
 *     orders has failed since 14:33 UTC: 75 % of 20 attempts in 15 min; 598 records wait.
 *     erp.example.com (HttpError 503) has failed since 14:05 UTC: 30 records wait in orders; next probe about 14:22 UTC; bulk is back.
 *     erp.example.com had failed since 14:05 UTC, and nothing is known since the pause: 30 records wait in orders.
 *     erp.example.com is back since 14:40 UTC, after 35 min: 312 records wait in orders and bulk that have failed before, the last
 *         is due at 15:02 UTC.
 *     orders has 48 dead records since Sun 22 Nov 16:40 UTC, the latest of 14:31 UTC.
 */
export function incidentText(incident: Incident, now: number): string {
  if (incident.state === 'recovering') return recoveringText(incident, now);
  if (incident.state === 'dead') return deadText(incident, now);
  const { since } = incident;
  const name = incidentName(incident);
  if (incident.state === 'unknown') {
    const from = since === undefined ? '' : ` since ${minuteText(since, now)} UTC`;
    const wait = joined([waitingText(incident), backText(incident)]);
    return `${name} had failed${from}, and nothing is known since the pause${wait}.`;
  }
  const verb = incident.destinations.length > 1 ? ['have failed', 'fail'] : ['has failed', 'fails'];
  const begin = since === undefined ? verb[1] : `${verb[0]} since ${minuteText(since, now)} UTC`;
  const waiting = [breakerText(incident, now), attemptsText(incident), waitingText(incident)];
  const parts = [...waiting, probeText(incident, now), backText(incident)];
  return `${name} ${begin}${joined(parts)}.`;
}

/** `: a; b`, without what is empty. */
function joined(parts: readonly string[]): string {
  const known = parts.filter((part) => part !== '');
  return known.length === 0 ? '' : `: ${known.join('; ')}`;
}

function backText({ queuesBack }: Incident): string {
  if (queuesBack.length === 0) return '';
  return `${names(queuesBack.map(({ stats }) => stats.queue))} ${queuesBack.length === 1 ? 'is' : 'are'} back`;
}

function breakerText(
  { since: first, breakerSince, probeAt, queues, destinations }: Incident,
  now: number,
): string {
  const open = queues.reduce((sum, { stats }) => sum + stats.openBreakers, 0);
  if (open === 0) return '';
  const which = destinations.length > 1 ? `${counted(open, 'breaker')} open` : 'breaker open';
  const since =
    breakerSince === undefined || breakerSince === first ? '' : ` since ${minuteText(breakerSince, now)} UTC`;
  if (probeAt === undefined) return `${which}${since}`;
  return `${which}${since}, ${probeAt > now ? `next probe in ${age(probeAt - now)}` : 'a probe is due'}`;
}

/** `75 % of 20 attempts in 15 min`. */
export function attemptsText({ attempts }: Pick<Incident, 'attempts'>): string {
  if (!attempts) return '';
  const { succeeded, failed, minutes } = attempts;
  const share = Math.round((100 * failed) / (succeeded + failed));
  return `${share} % of ${counted(succeeded + failed, 'attempt')} in ${minutes} min`;
}

/** Time for which a probe without a breaker is due: later there seems to be no record that can be probed. */
const PROBE_DUE_MS = 3 * 60_000;

/**
 * The time of the next probe, epoch milliseconds. Where no breaker is open it is about: a probe needs a run then, and a record that
 * waits as its policy says, and none that is due before. Undefined: not known, or no such record seems to be there.
 */
export function nextProbe(
  { probeAt, breakerSince }: Pick<Incident, 'probeAt' | 'breakerSince'>,
  now: number,
): number | undefined {
  const isOver = breakerSince === undefined && probeAt !== undefined && now - probeAt > PROBE_DUE_MS;
  return isOver ? undefined : probeAt;
}

function probeText(incident: Incident, now: number): string {
  const at = nextProbe(incident, now);
  if (at === undefined || incident.breakerSince !== undefined) return '';
  return at > now ? `next probe about ${minuteText(at, now)} UTC` : 'a probe is due';
}

/** `erp.example.com (HttpError 503) of orders and bulk: 14:05 to 14:40 UTC, 35 min`: an incident that is over. */
export function endedText(ended: EndedIncident, now: number): string {
  const { since, endedAt } = ended;
  const time = `${minuteText(since, now)} to ${minuteText(endedAt, now)} UTC, ${age(endedAt - since)}`;
  return `${incidentName(ended)}${ofQueues(ended)}: ${time}`;
}

/** ` of orders and bulk`, unless the name of the incident says it. */
function ofQueues({ destinations, queues }: Pick<EndedIncident, 'destinations' | 'queues'>): string {
  return destinations.length === 1 ? ` of ${names(queues.map(({ stats }) => stats.queue))}` : '';
}

/** A queue's records may go to several destinations, which its index does not tell. */
function waitingText({ queues, destinations }: Incident): string {
  const pending = queues.reduce((sum, { stats }) => sum + stats.pending, 0);
  if (pending === 0) return '';
  const wait = waitText({ pending, counted: leastExact(queues.map(({ stats }) => stats)) });
  return destinations.length === 1 ? `${wait} in ${names(queues.map(({ stats }) => stats.queue))}` : wait;
}

function deadText({ queues, since, lastFailureAt }: Incident, now: number): string {
  const [{ stats } = { stats: undefined }] = queues;
  if (!stats) return '';
  const from = since === undefined ? '' : ` since ${minuteText(since, now)} UTC`;
  const isLater = lastFailureAt !== undefined && lastFailureAt !== since;
  const last = isLater ? `, the latest of ${minuteText(lastFailureAt, now)} UTC` : '';
  return `${stats.queue} has ${COUNT_SIGNS[stats.counted]}${records(stats.dead, 'dead')}${from}${last}.`;
}

function recoveringText(incident: Incident, now: number): string {
  const { since, backAt = now, queues, destinations, lastDueAt } = incident;
  const left = queues.filter((queue) => queue.backAt !== undefined);
  const where = destinations.length === 1 ? ` in ${names(left.map(({ stats }) => stats.queue))}` : '';
  const isAhead = lastDueAt !== undefined && lastDueAt > now;
  const end = isAhead ? `, the last is due at ${minuteText(lastDueAt, now)} UTC` : '';
  const length = since === undefined || since >= backAt ? '' : `, after ${age(backAt - since)}`;
  const verb = destinations.length > 1 ? 'are' : 'is';
  const begin = `${incidentName(incident)} ${verb} back since ${minuteText(backAt, now)} UTC${length}`;
  return `${begin}: ${leftText(left, where)}${end}.`;
}

/** `312 records wait in orders and bulk that have failed before`, as far as that is known. */
function leftText(left: readonly QueueView[], where: string): string {
  const inRetry = left.reduce((sum, queue) => sum + (queue.inRetry ?? Number.NaN), 0);
  if (Number.isNaN(inRetry)) {
    const pending = left.reduce((sum, { stats }) => sum + stats.pending, 0);
    return `${waitText({ pending, counted: leastExact(left.map(({ stats }) => stats)) })}${where}`;
  }
  const sign = COUNT_SIGNS[leastExact(left.map(({ retryCounted }) => ({ counted: retryCounted })))];
  const one = inRetry === 1;
  return `${sign}${records(inRetry)} ${one ? 'waits' : 'wait'}${where} that ${one ? 'has' : 'have'} failed before`;
}
