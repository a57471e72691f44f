import { age } from 'dynamo-backlog/engine';
import {
  type Condition,
  counted,
  errorText,
  type Incident,
  incidentName,
  LOOKS,
  minuteText,
  names,
  pausedKeysText,
  pauseNote,
  type QueueView,
  shortened,
} from 'dynamo-backlog/overview';
import { printable } from '../output.js';
import type { Paint } from '../paint.js';
import { COLORS } from '../top/table.js';
import { meantText } from '../unserved.js';

/** Most characters of a destination with its cause. */
const MAX_NAME = 100;

/**
 * `failing since 14:05 UTC: erp.example.com (HttpError 503)`: the condition of a queue as `top` has it, and what else stands in its
 * way.
 */
export function stateText(
  { stats, condition, unserved, isFailing }: QueueView,
  { incidents, now, paint }: { incidents: readonly Incident[]; now: number; paint: Paint },
): string {
  const { queue, paused, pausedAt, pausedKeys, openBreakers } = stats;
  const its = incidents.filter(({ queues }) => queues.some((one) => one.stats.queue === queue));
  const sinceText = faultText(
    its.filter(({ state }) => state === 'failing'),
    ({ since }) => since,
    now,
  );
  const backText = faultText(
    its.filter(({ state }) => state === 'recovering'),
    ({ backAt }) => backAt,
    now,
  );
  const pausedFor = pausedAt === undefined ? '' : ` ${age(now - Date.parse(pausedAt))}`;
  const all: readonly (readonly [Condition, string | false])[] = [
    ['unserved', unserved !== undefined && `no rule serves it${meantText(unserved.meant)}`],
    ['failing', isFailing && `failing${sinceText}`],
    ['breaker', openBreakers > 0 && `${counted(openBreakers, 'breaker')} open${isFailing ? '' : sinceText}`],
    ['paused', paused && `paused${pausedFor}${printable(pauseNote(stats, now))}`],
  ];
  const known = all.flatMap(([as, text]) => (text === false ? [] : [coloured(as, text, paint)]));
  const word = `${LOOKS[condition].word.toLowerCase()}${condition === 'recovering' ? backText : ''}`;
  const texts = known.length > 0 ? known : [coloured(condition, word, paint)];
  const keys = pausedKeysText(pausedKeys, now);
  return [...texts, ...(keys === '' ? [] : [coloured('paused', printable(keys), paint)])].join(', ');
}

/** ` since 14:05 UTC: erp.example.com (HttpError 503)`: what fails, or has failed. The worst incident comes first. */
function faultText(
  incidents: readonly Incident[],
  timeOf: (incident: Incident) => number | undefined,
  now: number,
): string {
  const times = incidents.flatMap((one) => timeOf(one) ?? []);
  const since = times.length === 0 ? '' : ` since ${minuteText(Math.min(...times), now)} UTC`;
  const faults = incidents.flatMap((one) => {
    const { destinations, cause } = one;
    if (destinations.length > 0) return [shortened(incidentName(one), MAX_NAME)];
    return cause ? [errorText(cause)] : [];
  });
  return `${since}${faults.length === 0 ? '' : `: ${printable(names(faults))}`}`;
}

function coloured(condition: Condition, text: string, paint: Paint): string {
  return paint(COLORS[LOOKS[condition].tone], text);
}
