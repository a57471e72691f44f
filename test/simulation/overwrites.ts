import type { Item } from '../../src/record/index.js';
import type { Random } from '../../src/support/random.js';
import { between, chance, pick } from './random.js';

export interface OverwritesDeps {
  readonly random: Random;
  /** True time. */
  readonly now: () => number;
  readonly hasSecondQueue: boolean;
  readonly hasOwnPolicy: boolean;
  /** The record has had the same attributes before. */
  readonly wasWritten: (item: Item) => boolean;
}

/** Attributes of a bare record that a producer may write over. */
const ATTRIBUTES = [
  'payload',
  'task',
  'queue',
  'availableAt',
  'status',
  'retry',
  'insertedAt',
  'own',
] as const;

/**
 * Counts by the chance of a world, so that it is the same whatever was played before it. They are above all
 * versions of its script.
 */
const counts = new WeakMap<object, number>();

/** Other values for one attribute of a bare item, or for several of them: never the same item again. */
export function otherAttributes(stored: Item, deps: OverwritesDeps): Item {
  const { random } = deps;
  const next: Record<string, unknown> = { ...stored };
  const several = chance(random, 0.3) ? between(random, 2, 4) : 1;
  const number = (counts.get(random) ?? 1_000) + 1;
  counts.set(random, number);
  for (let i = 0; i < several; i++) change(pick(random, ATTRIBUTES), next, number, deps);
  return deps.wasWritten(next as Item) ? noted(next, number) : next;
}

/** An attribute of the producer's own has changed. One that is only added goes unnoticed, so the payload has changed then. */
function noted(item: Record<string, unknown>, number: number): Item {
  const payload = item.note === undefined ? { version: number } : item.payload;
  return { ...item, payload, note: number } as Item;
}

function change(
  attribute: (typeof ATTRIBUTES)[number],
  item: Record<string, unknown>,
  number: number,
  { random, now, hasSecondQueue, hasOwnPolicy }: OverwritesDeps,
): void {
  const at = (ms: number) => new Date(ms).toISOString();
  switch (attribute) {
    case 'payload':
      item.payload = { version: number };
      return;
    case 'task':
      // All of them are known.
      item.task = item.task === 'one' ? 'other' : 'one';
      return;
    case 'queue':
      if (hasSecondQueue) item.queue = item.queue === 'q' ? 'r' : 'q';
      return;
    case 'availableAt':
      item.availableAt = at(now() + between(random, -60_000, 180_000));
      return;
    case 'status':
      item.status = pick(random, ['NEW', 'ERROR', 'new', 'SUCCESS', 'DEAD']);
      return;
    case 'retry':
      if (!hasOwnPolicy)
        item.retry = { type: 'constant', interval: 60, jitter: 'none', maxAttempts: 100 + number };
      return;
    case 'insertedAt':
      item.insertedAt = at(now() - between(random, 0, 60_000));
      return;
    case 'own':
      Object.assign(item, noted(item, number));
      return;
    default:
      throw new Error(`unknown attribute ${attribute satisfies never}`);
  }
}
