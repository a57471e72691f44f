import { age } from 'dynamo-backlog/engine';
import {
  type Condition,
  counted,
  type Incident,
  LOOKS,
  minuteText,
  pausedKeysText,
  pauseNote,
  type QueueView,
} from 'dynamo-backlog/overview';
import { printable } from '../output.js';
import type { Paint } from '../paint.js';
import { COLORS } from '../top/table.js';
import { meantText } from '../unserved.js';

/** `failing since 14:05 UTC`: the condition of a queue as `top` has it, and what else stands in its way. */
export function stateText(
  { stats, condition, unserved, isFailing }: QueueView,
  { incidents, now, paint }: { incidents: readonly Incident[]; now: number; paint: Paint },
): string {
  const { queue, paused, pausedAt, pausedKeys, openBreakers } = stats;
  const { since } =
    incidents.find(
      ({ state, queues }) => state === 'failing' && queues.some((one) => one.stats.queue === queue),
    ) ?? {};
  const sinceText = since === undefined ? '' : ` since ${minuteText(since, now)} UTC`;
  const pausedFor = pausedAt === undefined ? '' : ` ${age(now - Date.parse(pausedAt))}`;
  const all: readonly (readonly [Condition, string | false])[] = [
    ['unserved', unserved !== undefined && `no rule serves it${meantText(unserved.meant)}`],
    ['failing', isFailing && `failing${sinceText}`],
    ['breaker', openBreakers > 0 && `${counted(openBreakers, 'breaker')} open${isFailing ? '' : sinceText}`],
    ['paused', paused && `paused${pausedFor}${printable(pauseNote(stats, now))}`],
  ];
  const known = all.flatMap(([as, text]) => (text === false ? [] : [coloured(as, text, paint)]));
  const texts = known.length > 0 ? known : [coloured(condition, LOOKS[condition].word.toLowerCase(), paint)];
  const keys = pausedKeysText(pausedKeys, now);
  return [...texts, ...(keys === '' ? [] : [coloured('paused', printable(keys), paint)])].join(', ');
}

function coloured(condition: Condition, text: string, paint: Paint): string {
  return paint(COLORS[LOOKS[condition].tone], text);
}
