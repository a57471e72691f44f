import type { Random } from '../support/random.js';
import type { QueueWeights } from './weights.js';

/** The turns of one queue among several. */
export interface QueueTurns {
  /**
   * Waits for the turn of one page. Resolves with what ends it, which is called once.
   *
   * @param isBusy it is the page of a busy key: each other turn of the queue is one of its own lanes
   */
  take(isBusy?: boolean): Promise<() => void>;
  /** The queue has no page to work off for now: none is drawn for it until it asks again. */
  rest(): void;
}

interface Waiting {
  readonly queue: string;
  readonly isBusy: boolean;
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
  /** Queues whose last page was one of their own lanes. */
  private readonly hadOwn = new Set<string>();
  private isTaken = false;

  constructor(
    private readonly weights: QueueWeights,
    private readonly random: Random,
  ) {
    this.active = new Map(weights);
  }

  /** The turns of one of the queues. */
  of(queue: string): QueueTurns {
    return { take: (isBusy = false) => this.take(queue, isBusy), rest: () => this.rest(queue) };
  }

  private async take(queue: string, isBusy: boolean): Promise<() => void> {
    this.active.set(queue, this.weights.get(queue) ?? 1);
    const turn = new Promise<void>((begin) => {
      this.waiting.push({ queue, isBusy, begin });
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
    const its = this.waiting.filter(({ queue }) => queue === this.drawn);
    const waiting = its.find(({ queue, isBusy }) => isBusy === this.hadOwn.has(queue)) ?? its[0];
    if (!waiting) return;
    this.waiting.splice(this.waiting.indexOf(waiting), 1);
    if (waiting.isBusy) this.hadOwn.delete(waiting.queue);
    else this.hadOwn.add(waiting.queue);
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
