import type { Clock } from '../clock.js';
import { type Random, randomToken } from '../random.js';
import type { BacklogStore } from '../store/store.js';
import type { Hold } from './attempts.js';

/** Batches of one queue under attempt at a time; what comes above is left to the rules. */
const MAX_ARRIVAL_RUNS = 5;
/** Between the end of an attempt's time and the claim's end: time to settle. */
const SETTLE_MS = 5_000;
/** By how much whoever waits for an attempt that ignores its signal renews the claim. */
const RENEWAL_MS = 60_000;

export interface ArrivalsClaimParts {
  readonly queue: string;
  readonly batch: string;
  /** Records in the batch. */
  readonly count: number;
  readonly store: BacklogStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly concurrency: number;
  readonly attemptTimeoutSeconds: number;
  /** Of the function; real time, epoch milliseconds. */
  readonly deadline: number;
}

/**
 * One run's hold on a batch of arrivals. Lasts as long as its attempts take at the worst, within the function's time:
 * should the run be lost, its records wait no longer than that.
 */
export class ArrivalsClaim implements Hold {
  readonly rev: string;
  private readonly holder: string;
  private until = 0;

  constructor(private readonly parts: ArrivalsClaimParts) {
    this.rev = randomToken(parts.random);
    this.holder = randomToken(parts.random);
  }

  take(): Promise<'claimed' | 'taken' | 'full'> {
    const { count, concurrency, attemptTimeoutSeconds } = this.parts;
    const rounds = Math.ceil(count / concurrency);
    return this.claim(rounds * attemptTimeoutSeconds * 1000 + 2 * SETTLE_MS);
  }

  release(): Promise<void> {
    const { queue, batch, store } = this.parts;
    return store.releaseArrivals(queue, { batch, holder: this.holder });
  }

  coversAttempt(startsAt = 0): boolean {
    const { clock, attemptTimeoutSeconds } = this.parts;
    const from = Math.max(clock.wall(), startsAt);
    return from + attemptTimeoutSeconds * 1000 + SETTLE_MS < this.until;
  }

  renewInMs(): number {
    return Math.max(0, this.until - SETTLE_MS - this.parts.clock.wall());
  }

  async hold(): Promise<boolean> {
    if (this.until >= this.parts.deadline) return false;
    return (await this.claim(RENEWAL_MS)) === 'claimed';
  }

  private async claim(forMs: number): Promise<'claimed' | 'taken' | 'full'> {
    const { queue, batch, store, clock, deadline } = this.parts;
    const { holder } = this;
    const now = clock.wall();
    const until = Math.min(deadline, now + forMs);
    const answer = await store.claimArrivals(queue, { batch, holder, until, maxRuns: MAX_ARRIVAL_RUNS, now });
    if (answer === 'claimed') this.until = until;
    return answer;
  }
}
