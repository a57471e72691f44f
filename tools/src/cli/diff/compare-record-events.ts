import type { BacklogDescription } from 'dynamo-backlog/engine';
import type { Difference } from './change.js';

type Events = NonNullable<BacklogDescription['recordEvents']>;

/** Compares the events of records that other services get. */
export function compareRecordEvents(
  { recordEvents: from = {} }: BacklogDescription,
  { recordEvents: to = {} }: BacklogDescription,
): Difference[] {
  const queues = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return queues.flatMap((queue): Difference[] => {
    const [before, after] = [textOf(from, queue), textOf(to, queue)];
    if (before === after) return [];
    const kept = saysAll(to, queue);
    const isLess = saysAll(from, queue).some((part) => !kept.includes(part));
    return [
      {
        kind: 'backlog.recordEvents',
        severity: isLess ? 'attention' : 'safe',
        what: `events of records of ${queue}: ${before} → ${after}`,
        effect: isLess
          ? 'Services that rely on what is left out do not get it any more.'
          : 'Services get more events, or more in them.',
        ...(isLess && {
          todo: 'Look which services have a rule, a subscription or a queue for these events.',
        }),
      },
    ];
  });
}

/** A queue may be called `constructor`. */
function eventsOf(all: Events, queue: string): Events[string] | undefined {
  return Object.hasOwn(all, queue) ? all[queue] : undefined;
}

function saysAll(all: Events, queue: string): readonly string[] {
  const events = eventsOf(all, queue);
  return events ? [...events.on, ...events.include] : [];
}

function textOf(all: Events, queue: string): string {
  const events = eventsOf(all, queue);
  if (!events) return 'none';
  const parts = [...events.include].sort();
  return `${[...events.on].sort().join(', ')}${parts.length > 0 ? ` with ${parts.join(', ')}` : ''}`;
}
