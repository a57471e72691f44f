import type { Random, VirtualTime } from 'dynamo-backlog/engine';
import { between, chance } from '../draws.js';

/** Probabilities of troubles between a producer's write and its attempt, while things go wrong at all. */
export interface Troubles {
  /** Delivered twice: a batch of the stream, an asynchronous event, a message. */
  readonly twice: number;
  /** An asynchronous event waits for up to a minute, or is given up then. */
  readonly late: number;
  /** The function may not be started. */
  readonly refused: number;
  /** A batch of the stream is cut differently when it is delivered again. */
  readonly cutAgain: number;
  /** An event or a message is lost permanently: the sweep has to find its records. */
  readonly lostPermanently: number;
}

export const NO_TROUBLES: Troubles = { twice: 0, late: 0, refused: 0, cutAgain: 0, lostPermanently: 0 };

/** The network and the services in it. */
export class Chaos {
  constructor(
    readonly time: VirtualTime,
    readonly random: Random,
    private readonly troubles: () => Troubles,
  ) {}

  happens(what: keyof Troubles): boolean {
    return chance(this.random, this.troubles()[what]);
  }

  /** The number of deliveries: one, or two. */
  deliveries(): number {
    return this.happens('twice') ? 2 : 1;
  }

  soonMs(): number {
    return between(this.random, 1, 150);
  }

  /** Milliseconds until something comes, usually soon. */
  soonOrLateMs(latest: number): number {
    return this.happens('late') ? between(this.random, 0, latest) : this.soonMs();
  }
}
