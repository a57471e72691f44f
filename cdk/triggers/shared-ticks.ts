import type { Construct } from 'constructs';
import type { BacklogEvent } from '../../functions/event.js';
import type { QueueFunction } from '../functions/workers.js';
import { type Group, grouped } from './groups.js';
import type { QueuesEvent, Tick } from './tick.js';

/** Characters of a rule's constant input: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_Target.html */
const MAX_CHARACTERS = 8_192;
/** Queues of one event: they are drained at the same time, in one sandbox. */
const MAX_QUEUES = 20;
/** Targets of a rule. */
const MAX_EVENTS = 5;

/** An event of one queue, as it would be on a rule of its own. */
export interface QueueTurn {
  readonly assigned: QueueFunction;
  readonly every: number;
  readonly event: BacklogEvent;
}

/** An event of several queues, by a name that stays while they do. */
interface SharedEvent {
  readonly name: string;
  readonly event: QueuesEvent;
}

/** Tells whether a rule takes the event, and one run serves its queues well. Weights have a meaning within one event only. */
export function fitsRule({ queues, ...rest }: QueuesEvent, most = MAX_QUEUES): boolean {
  if (JSON.stringify({ queues, ...rest }).length > MAX_CHARACTERS) return false;
  const weights = Object.values(queues);
  return weights.length <= most || new Set(weights).size > 1;
}

/**
 * The ticks of a function with many queues: those with the same interval, band and part share events of up to 20 queues, and
 * up to five events share a rule. By hashes of names, so that one queue more moves few others.
 */
export function sharedTicks(scope: Construct, turns: readonly QueueTurn[]): Tick[] {
  return [...byKey(turns, ({ every }) => String(every))].flatMap(([every, same]) => {
    const events = [...byKey(same, ({ event }) => keyOf(event))].flatMap(([key, some]) =>
      sharedEvents(`${every} ${key}`, some),
    );
    return grouped(
      events,
      ({ name }) => name,
      ({ length }) => length <= MAX_EVENTS,
    ).map((group) => tickOf(scope, same[0] as QueueTurn, group));
  });
}

function keyOf({ queue: _, ...rest }: BacklogEvent): string {
  return JSON.stringify(rest);
}

function sharedEvents(key: string, turns: readonly QueueTurn[]): SharedEvent[] {
  return grouped(
    turns,
    ({ event }) => event.queue,
    (some) => fitsRule(eventOf(some)),
  ).map(({ bits, items }) => ({ name: `${key} ${bits}`, event: eventOf(items) }));
}

function eventOf(turns: readonly QueueTurn[]): QueuesEvent {
  const { queue: _, arrivals: __, ...rest } = (turns[0] as QueueTurn).event;
  const queues = turns.map(({ assigned: { queue } }) => [queue.name, queue.weight]);
  return { queues: Object.fromEntries(queues), ...rest };
}

function tickOf(scope: Construct, { assigned, every }: QueueTurn, { bits, items }: Group<SharedEvent>): Tick {
  const names = items.flatMap(({ event }) => Object.keys(event.queues));
  return {
    scope,
    id: `Every${every}s${bits}`,
    description: `Backlog, every ${every} s, ${names.length} queues: ${names.join(', ')}`.slice(0, 512),
    every,
    enabled: true,
    lambda: assigned.worker.lambda,
    events: items.map(({ event }) => event),
  };
}

function byKey<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const found = new Map<string, Item[]>();
  for (const item of items) found.set(keyOf(item), [...(found.get(keyOf(item)) ?? []), item]);
  return found;
}
