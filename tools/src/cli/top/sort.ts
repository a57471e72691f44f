import type { QueueView } from 'dynamo-backlog/overview';

/** Orders of the queues, and how the screen names them. */
const ORDERS = {
  worst: 'worst first',
  waiting: 'most waiting',
  due: 'most due',
  dead: 'most dead',
  oldest: 'oldest due',
  name: 'by name',
} as const;

export type SortOrder = keyof typeof ORDERS;

const NAMES = Object.keys(ORDERS) as SortOrder[];

export const sortText = (order: SortOrder): string => ORDERS[order];

/** The order that comes so many steps behind this one, round and round. */
export function nextOrder(order: SortOrder, steps: number): SortOrder {
  return NAMES[(NAMES.indexOf(order) + steps + NAMES.length) % NAMES.length] ?? 'worst';
}

/** @param queues the worst first, which also decides between equals */
export function sorted(queues: readonly QueueView[], order: SortOrder): readonly QueueView[] {
  if (order === 'worst') return queues;
  if (order === 'name')
    return [...queues].sort((one, other) => (one.stats.queue < other.stats.queue ? -1 : 1));
  return [...queues].sort((one, other) => KEYS[order](other) - KEYS[order](one));
}

const KEYS: Readonly<Record<Exclude<SortOrder, 'worst' | 'name'>, (view: QueueView) => number>> = {
  waiting: ({ stats }) => stats.pending,
  due: ({ stats }) => stats.due?.now ?? -1,
  dead: ({ stats }) => stats.dead,
  oldest: ({ stats }) => -(Date.parse(stats.oldestDueAt ?? '') || Number.MAX_SAFE_INTEGER),
};
