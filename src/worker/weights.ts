import { QUEUE_NAME, QUEUE_PATTERN } from '../record/index.js';
import { ConfigurationError } from '../support/errors.js';
import { show } from '../support/validation.js';

/** The weights of queues: the share of the attempts that each gets beside the others, where all have work. */
export type QueueWeights = ReadonlyMap<string, number>;

/**
 * Queues by name, or names with their weights; as text, `critical,6 default,1`. A name alone weighs 1.
 *
 * @inline
 */
export type QueuesChoice = string | readonly (string | readonly [queue: string, weight: number])[];

/**
 * Reads which queues are served, and with which weights.
 *
 * @throws ConfigurationError for what is no name, no weight, or comes twice
 */
export function parseWeights(choice: QueuesChoice, name: string): QueueWeights {
  const entries =
    typeof choice === 'string' ? choice.trim().split(/\s+/).map(readText) : choice.map(readEntry);
  const refuse = (expected: string, got: unknown): never => {
    throw new ConfigurationError(`${name}: expected ${expected}, got ${show(got)}`);
  };
  if (entries.length === 0) refuse('at least one queue, such as "critical,6 default,1"', choice);
  const weights = new Map<string, number>();
  for (const [queue, weight] of entries) {
    if (typeof queue !== 'string' || !QUEUE_PATTERN.test(queue)) {
      refuse(`names of queues (${QUEUE_NAME}) with their weights, such as "critical,6 default,1"`, queue);
    }
    if (typeof weight !== 'number' || !(weight > 0 && weight <= 1_000_000)) {
      refuse(`a weight above 0 for the queue ${show(queue)}, and up to a million`, weight);
    }
    if (weights.has(queue)) refuse('each queue once', queue);
    weights.set(queue, weight);
  }
  return weights;
}

type Entry = readonly [queue: string, weight: number];

function readText(text: string): Entry {
  const [queue = '', weight, ...rest] = text.split(',');
  if (weight === undefined) return [queue, 1];
  return [
    queue,
    rest.length === 0 && /^\d+(\.\d+)?$/.test(weight) ? Number(weight) : (weight as unknown as number),
  ];
}

function readEntry(entry: string | Entry): Entry {
  return Array.isArray(entry) ? (entry as unknown as Entry) : [entry as string, 1];
}

/** Tells whether all queues have the same weight. */
export function areEqual(weights: QueueWeights): boolean {
  return new Set(weights.values()).size <= 1;
}
