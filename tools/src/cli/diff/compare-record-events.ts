import type { BacklogDescription } from 'dynamo-backlog/engine';
import type { Difference } from './change.js';

type Events = NonNullable<BacklogDescription['recordEvents']>;

const LESS = {
  severity: 'attention',
  effect: 'Services that rely on what is left out do not get it any more.',
  todo: 'Look which services have a rule, a subscription or a queue for these events.',
} as const;

/** Compares the events of the ends of records and groups that other services get. */
export function compareRecordEvents(from: BacklogDescription, to: BacklogDescription): Difference[] {
  return [...compareQueues(from, to), ...compareGroups(from, to)];
}

function compareGroups(
  { groupEvents: from = false }: BacklogDescription,
  { groupEvents: to = false }: BacklogDescription,
): Difference[] {
  if (from === to) return [];
  const how = to ? ({ severity: 'safe', effect: 'Services hear of each group that ends.' } as const) : LESS;
  return [{ kind: 'backlog.groupEvents', what: `events of groups ${to ? 'added' : 'removed'}`, ...how }];
}

function compareQueues(
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
        what: `events of records of ${queue}: ${before} → ${after}`,
        ...(isLess ? LESS : { severity: 'safe', effect: 'Services get more events, or more in them.' }),
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
