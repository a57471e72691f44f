import type { Clock } from '../clock.js';
import { type Random, randomToken } from '../random.js';
import { StoreError } from '../store/errors.js';
import type { BacklogStore, ClaimAnswer } from '../store/store.js';
import type { Hold } from './heartbeat.js';
import { CLOCK_SKEW_MS, PAGE_SECONDS } from './lease.js';
import type { AttemptLogger } from './options.js';

/** Batches of one queue under attempt at a time; records above that are indexed, and an ordinary run looks at them. */
const ON_INSERT_CONCURRENCY = 10;
/** Between the end of an attempt's time and the claim's end: time to settle. */
const SETTLE_MS = 5_000;

export interface ArrivalsClaimDeps {
  readonly queue: string;
  readonly batch: string;
  readonly ids: readonly string[];
  readonly store: BacklogStore;
  readonly logger: AttemptLogger;
  readonly clock: Clock;
  readonly random: Random;
  readonly attemptTimeout: number;
  /** The queue has shards. */
  readonly isSpread: boolean;
  /** Claims of the queue at a time. */
  readonly onInsertConcurrency?: number | undefined;
  /** The function's deadline; real time, epoch milliseconds. */
  readonly deadline: number;
}

/**
 * One run's hold on a batch of arrivals. Lasts as long as a lease does: if the run is lost, its records wait no
 * longer than that.
 */
export class ArrivalsClaim implements Hold {
  readonly rev: string;
  private readonly holder: string;
  /** When the attempts of what was read last must be over. */
  private until = 0;
  private heldUntil = 0;

  constructor(private readonly deps: ArrivalsClaimDeps) {
    this.rev = randomToken(deps.random);
    this.holder = randomToken(deps.random);
  }

  async take(): Promise<ClaimAnswer> {
    const answer = await this.claim();
    if (answer === 'shared') await this.release();
    this.until = this.heldUntil;
    return answer;
  }

  /** Whether it lasts as long as the function may: it cannot be renewed. */
  get isLast(): boolean {
    return this.heldUntil >= this.deps.deadline;
  }

  coversAttempt(startsAt = 0): boolean {
    const { clock, attemptTimeout } = this.deps;
    const from = Math.max(clock.wall(), startsAt);
    return from + attemptTimeout * 1000 + SETTLE_MS < this.until;
  }

  renewInMs(): number {
    return Math.max(0, this.heldUntil - SETTLE_MS - this.deps.clock.wall());
  }

  leftMs(): number {
    return Math.max(0, this.heldUntil - this.deps.clock.wall());
  }

  async hold(): Promise<boolean> {
    if (!(await this.renew())) return false;
    this.until = this.heldUntil;
    return true;
  }

  async renew(): Promise<boolean> {
    if (this.isLast) return false;
    return (await this.claim()) === 'claimed';
  }

  /** The work is done: a claim that cannot be given back runs out by itself. */
  async release(): Promise<void> {
    const { queue, batch, isSpread, store, logger } = this.deps;
    try {
      await store.releaseArrivals(queue, { batch, holder: this.holder, isSpread });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      logger.warn('the claim on arrivals could not be given back', { error: error.message });
    }
  }

  private async claim(): Promise<ClaimAnswer> {
    const { queue, batch, ids, store, clock, attemptTimeout } = this.deps;
    const { isSpread, onInsertConcurrency: maxRuns = ON_INSERT_CONCURRENCY } = this.deps;
    const { holder } = this;
    const now = clock.wall();
    const lengthMs = Math.max(PAGE_SECONDS, attemptTimeout) * 1000 + 2 * SETTLE_MS;
    const until = now + lengthMs;
    const claim = { batch, holder, until, ids, maxRuns, isSpread, now: now - CLOCK_SKEW_MS };
    const answer = await store.claimArrivals(queue, claim);
    if (answer === 'claimed') this.heldUntil = until;
    return answer;
  }
}
