import type { Clock } from '../clock.js';
import { type Random, randomToken } from '../random.js';
import type { BacklogStore } from '../store/store.js';
import type { Hold } from './attempts.js';

/** Batches of one queue under attempt at a time; what comes above is left to the rules. */
const MAX_ARRIVAL_RUNS = 10;
/** Between the end of an attempt's time and the function's end: time to settle. */
const SETTLE_MS = 5_000;

/** One run's hold on a batch of arrivals. Lasts until the function's end, so there is nothing to renew. */
export class ArrivalsClaim implements Hold {
  readonly rev: string;
  private readonly holder: string;

  constructor(
    private readonly parts: {
      readonly queue: string;
      readonly batch: string;
      readonly store: BacklogStore;
      readonly clock: Clock;
      readonly random: Random;
      readonly attemptTimeoutSeconds: number;
      /** Of the function; real time, epoch milliseconds. */
      readonly deadline: number;
    },
  ) {
    this.rev = randomToken(parts.random);
    this.holder = randomToken(parts.random);
  }

  take(): Promise<'claimed' | 'taken' | 'full'> {
    const { queue, batch, store, clock, deadline } = this.parts;
    const { holder } = this;
    const claim = { batch, holder, until: deadline, maxRuns: MAX_ARRIVAL_RUNS, now: clock.wall() };
    return store.claimArrivals(queue, claim);
  }

  release(): Promise<void> {
    const { queue, batch, store } = this.parts;
    return store.releaseArrivals(queue, { batch, holder: this.holder });
  }

  coversAttempt(startsAt = 0): boolean {
    const { clock, attemptTimeoutSeconds, deadline } = this.parts;
    const from = Math.max(clock.wall(), startsAt);
    return from + attemptTimeoutSeconds * 1000 + SETTLE_MS < deadline;
  }

  renewInMs(): number {
    return Math.max(0, this.parts.deadline - this.parts.clock.wall());
  }

  async hold(): Promise<boolean> {
    return this.renewInMs() > 0;
  }
}
