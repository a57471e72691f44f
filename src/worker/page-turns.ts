import type { Random } from '../support/random.js';
import type { QueueWeights } from './weights.js';

/** The turns of one queue among several. */
export interface QueueTurns {
  /** Waits for the turn of one page. Resolves with what ends it, which is called once. */
  take(): Promise<() => void>;
  /** The queue has no page to work off for now: none is drawn for it until it asks again. */
  rest(): void;
}

interface Waiting {
  readonly queue: string;
  readonly begin: () => void;
}

/**
 * Lets several queues work off their pages one at a time. Each page's queue is drawn by its weight from those that have
 * not come to rest; the others wait for it, also while it reads its next page. So a queue that rests takes no part of
 * the others' turns.
 */
export class PageTurns {
  private readonly active: Map<string, number>;
  private waiting: Waiting[] = [];
  private drawn: string | undefined;
  private isTaken = false;

  constructor(
    private readonly weights: QueueWeights,
    private readonly random: Random,
  ) {
    this.active = new Map(weights);
  }

  /** The turns of one of the queues. */
  of(queue: string): QueueTurns {
    return { take: () => this.take(queue), rest: () => this.rest(queue) };
  }

  private async take(queue: string): Promise<() => void> {
    this.active.set(queue, this.weights.get(queue) ?? 1);
    const turn = new Promise<void>((begin) => {
      this.waiting.push({ queue, begin });
    });
    this.next();
    await turn;
    return () => {
      this.isTaken = false;
      this.drawn = undefined;
      this.next();
    };
  }

  private rest(queue: string): void {
    // Another lane of it may be waiting for its turn.
    if (!this.waiting.some((one) => one.queue === queue)) this.active.delete(queue);
    if (this.drawn === queue && !this.isTaken) this.drawn = undefined;
    this.next();
  }

  private next(): void {
    if (this.isTaken) return;
    this.drawn ??= drawQueue(this.active, this.random);
    const at = this.waiting.findIndex(({ queue }) => queue === this.drawn);
    const [waiting] = at < 0 ? [] : this.waiting.splice(at, 1);
    if (!waiting) return;
    this.isTaken = true;
    waiting.begin();
  }
}

/**
 * Draws a queue, each as often as its weight has a share of all: the one with the greatest `u ^ (1 / weight)`, where
 * each has a random number of its own (Efraimidis and Spirakis, 2006).
 */
export function drawQueue(weights: QueueWeights, random: Random): string | undefined {
  let drawn: string | undefined;
  let greatest = Number.NEGATIVE_INFINITY;
  for (const [queue, weight] of weights) {
    // In logarithms: u ^ (1 / weight) of a small weight is 0 for most u.
    const key = Math.log(random()) / weight;
    if (drawn === undefined || key > greatest) {
      drawn = queue;
      greatest = key;
    }
  }
  return drawn;
}
