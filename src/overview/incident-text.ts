import { errorText } from '../operate/cause.js';
import { age } from '../support/duration.js';
import { COUNT_SIGNS, leastExact, waitText } from './count-signs.js';
import { counted, minuteText, names, records } from './format.js';
import type { Incident } from './incidents.js';

/** `erp.example.com (HttpError 503)`, `orders`, `5 destinations of orders`: the name of an incident. */
export function incidentName({ destinations, queues, cause }: Incident): string {
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
 *     erp.example.com had failed since 14:05 UTC, and nothing is known since the pause: 30 records wait in orders.
 *     orders is back since 14:40 UTC: 112 records wait that have failed before, the last is due at 15:02 UTC.
 *     orders has 48 dead records since Sun 22 Nov 16:40 UTC, the latest of 14:31 UTC.
 */
export function incidentText(incident: Incident, now: number): string {
  if (incident.state === 'recovering') return recoveringText(incident, now);
  if (incident.state === 'dead') return deadText(incident, now);
  const { since } = incident;
  const name = incidentName(incident);
  if (incident.state === 'unknown') {
    const from = since === undefined ? '' : ` since ${minuteText(since, now)} UTC`;
    const wait = waitingText(incident);
    return `${name} had failed${from}, and nothing is known since the pause${wait === '' ? '' : `: ${wait}`}.`;
  }
  const verb = incident.destinations.length > 1 ? ['have failed', 'fail'] : ['has failed', 'fails'];
  const begin = since === undefined ? verb[1] : `${verb[0]} since ${minuteText(since, now)} UTC`;
  const parts = [breakerText(incident, now), attemptsText(incident), waitingText(incident)];
  const known = parts.filter((part) => part !== '');
  return `${name} ${begin}${known.length > 0 ? ': ' : ''}${known.join('; ')}.`;
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

function recoveringText({ backAt, queues, lastDueAt }: Incident, now: number): string {
  const [view] = queues;
  if (!view) return '';
  const { inRetry, retryCounted, stats } = view;
  const left =
    inRetry === undefined
      ? waitText(stats)
      : `${COUNT_SIGNS[retryCounted]}${records(inRetry)} ${inRetry === 1 ? 'waits that has' : 'wait that have'} failed before`;
  const isAhead = lastDueAt !== undefined && lastDueAt > now;
  const end = isAhead ? `, the last is due at ${minuteText(lastDueAt, now)} UTC` : '';
  return `${stats.queue} is back since ${minuteText(backAt ?? now, now)} UTC: ${left}${end}.`;
}
