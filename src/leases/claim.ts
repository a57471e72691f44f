import { StoreError } from '../store/errors.js';
import type { BacklogStore, ClaimAnswer } from '../store/store.js';
import { type Clock, LAST_TIME } from '../support/clock.js';
import type { AttemptLogger } from '../support/logger.js';
import { type Random, randomToken } from '../support/random.js';
import { newHolder } from './names.js';
import { CLOCK_SKEW_MS, holdMs, type RecordsHold, SETTLE_MS } from './timed-hold.js';

export interface ClaimDeps {
  readonly store: BacklogStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: AttemptLogger | undefined;
  /** The function's request id: Lambda reports a death by it. Default: no deaths are reported. */
  readonly invocation?: string | undefined;
}

export interface Claimed {
  readonly queue: string;
  readonly ids: readonly string[];
  /** Tells whether the queue has shards. */
  readonly isSpread: boolean;
  /** Names the claim: the same batch that is delivered twice meets its own. Default: it comes once. */
  readonly batch?: string | undefined;
  /** Claims of the queue at a time. Default: any number. */
  readonly maxRuns?: number | undefined;
  /** Time of one attempt, in seconds. Default: none are made. */
  readonly attemptTimeout?: number | undefined;
  /** Real time at which the function ends: a claim that lasts so long is not renewed. Default: any may be. */
  readonly deadline?: number | undefined;
}

/** Acts with the answer to a claim, and gives the claim back, whatever happens. */
export async function withClaim<T>(claim: Claim, act: (answer: ClaimAnswer) => Promise<T>): Promise<T> {
  let answer: ClaimAnswer | undefined;
  try {
    answer = await claim.take();
    return await act(answer);
  } finally {
    // A claim that met another one was written before. One without an answer may have been.
    if (answer !== 'taken' && answer !== 'full') await claim.release();
  }
}

/**
 * One process's hold on records that are not indexed. Lasts as long as a lease does: if the process is lost, its records
 * wait no longer than that.
 */
export class Claim implements RecordsHold {
  readonly called = 'claim';
  readonly rev: string;
  succeededAt: number | undefined;
  private readonly holder: string;
  private readonly batch: string;
  private readonly attemptTimeout: number;
  private readonly deadline: number;
  /** The time at which the attempts of the records that were read last must be over. */
  private until = 0;
  private heldUntil = 0;
  /** It has run out once: a run of another queue may have been given the records meanwhile, whose claims this one does not meet. */
  private hasLapsed = false;

  constructor(
    private readonly claimed: Claimed,
    private readonly deps: ClaimDeps,
  ) {
    this.rev = randomToken(deps.random);
    this.holder = newHolder(deps.random, deps.invocation);
    const { batch = `index/${this.holder}`, attemptTimeout = 0, deadline = LAST_TIME } = claimed;
    this.batch = batch;
    this.attemptTimeout = attemptTimeout;
    this.deadline = deadline;
  }

  async take(): Promise<ClaimAnswer> {
    const answer = await this.claim();
    this.until = this.heldUntil;
    return answer;
  }

  /** Tells whether it lasts as long as the function may. Then it is not renewed. */
  get isLast(): boolean {
    return this.heldUntil >= this.deadline;
  }

  covers(startsAt = 0): boolean {
    const from = Math.max(this.deps.clock.wall(), startsAt);
    return from + this.attemptTimeout * 1000 + SETTLE_MS < this.until;
  }

  renewInMs(): number {
    return Math.max(0, this.leftMs() - SETTLE_MS);
  }

  leftMs(): number {
    return Math.max(0, this.heldUntil - this.deps.clock.wall());
  }

  async extend(): Promise<boolean> {
    if (!(await this.renew()) || this.hasLapsed) return false;
    this.until = this.heldUntil;
    return true;
  }

  async renew(): Promise<boolean> {
    if (this.isLast) return false;
    return (await this.claim()) === 'claimed';
  }

  /** Gives the claim back after the work. If that fails, the claim runs out by itself. */
  async release(): Promise<void> {
    const { queue, isSpread } = this.claimed;
    const { batch, holder, succeededAt } = this;
    try {
      await this.deps.store.claims.release(queue, { batch, holder, isSpread, succeededAt });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.deps.logger?.warn('the claim on records could not be given back', { error: error.message });
    }
  }

  private async claim(): Promise<ClaimAnswer> {
    const { queue, ids, maxRuns, isSpread } = this.claimed;
    const { batch, holder } = this;
    const now = this.deps.clock.wall();
    if (this.heldUntil > 0 && this.leftMs() === 0) this.hasLapsed = true;
    const until = now + holdMs(this.attemptTimeout);
    const claim = { batch, holder, until, ids, maxRuns, isSpread, now: now - CLOCK_SKEW_MS };
    const answer = await this.deps.store.claims.take(queue, claim);
    if (answer === 'claimed') this.heldUntil = until;
    return answer;
  }
}
