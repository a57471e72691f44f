import { newHolder } from '../../leases/names.js';
import { CLOCK_SKEW_MS, keepRenewed, notRenewed, type TimedHold } from '../../leases/timed-hold.js';
import { StoreError, StoreThrottledError, StoreUnavailableError } from '../../store/errors.js';
import type { BacklogStore } from '../../store/store.js';
import { ASK_AGAIN_MS, SLOTS_MS, type SlotHoldDeps, slotsRenewInMs, startableMs } from './slot-hold.js';

export interface RunSlotsDeps extends SlotHoldDeps {
  readonly concurrency: number;
  /** The limit of all runs of the queue. */
  readonly globalConcurrency: number;
  readonly onArrival: boolean;
  readonly store: Pick<BacklogStore, 'slots'>;
}

/**
 * One run's share of the attempts that its queue may have under way at a time, where it has a limit for all of its
 * runs. It lasts a little longer than a minute, and is renewed while the run goes on.
 */
export class RunSlots implements TimedHold {
  readonly called = 'slots';
  readonly logged: { readonly queue: string };
  private readonly run: string;
  private readonly over = new AbortController();
  private taking: Promise<number> | undefined;
  private wanted = 0;
  private granted = 0;
  private askedAt = 0;
  /** Tells that it asked and got no answer: it may have some. */
  private mayHave = false;
  private until = 0;
  private lost = false;
  private renewing: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: RunSlotsDeps) {
    this.run = newHolder(deps.random, deps.invocation);
    this.logged = { queue: deps.queue };
  }

  /** Tells that they were not granted, or are another run's by now, as this one was frozen. */
  get areLost(): boolean {
    return this.lost;
  }

  /**
   * Takes them, once for the run.
   *
   * @param records attempts that it makes at most. A batch on arrival of a few records leaves the other slots to other batches
   * @returns how many; 0 if none are free, or DynamoDB does not answer
   */
  take(records = Number.POSITIVE_INFINITY): Promise<number> {
    this.taking ??= this.takeNow(records);
    return this.taking;
  }

  /**
   * Asks for those that it lacks, at most each five seconds: it would have few for as long as it goes on otherwise.
   *
   * @returns how many it has by now
   */
  async takeMore(): Promise<number> {
    const isLacking = this.granted > 0 && this.granted < this.wanted;
    if (isLacking && this.deps.clock.wall() >= this.askedAt + ASK_AGAIN_MS) await this.ask();
    return this.granted;
  }

  /** Tells whether an attempt may start now. */
  covers(): boolean {
    // Before they are taken nothing is attempted; what needs no attempt needs none of them.
    if (!this.taking) return true;
    return !this.lost && startableMs(this.until, this.deps) > 0;
  }

  /** Renews them where this process was frozen; those that cannot be are lost. */
  async ensure(): Promise<void> {
    if (this.covers() || this.lost) return;
    try {
      await this.renew();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      notRenewed(this, error, this.deps.logger);
    }
    this.lost = !this.covers();
  }

  async release(): Promise<void> {
    const { queue, store, logger, onArrival } = this.deps;
    this.over.abort('the run is over');
    await this.renewing;
    if (this.granted === 0 && !this.mayHave) return;
    const count = this.granted > 0 ? this.granted : this.wanted;
    this.granted = 0;
    this.mayHave = false;
    await store.slots.release(queue, this.run, { count, onArrival }).catch((error) => {
      // Runs out by itself.
      if (!(error instanceof StoreError)) throw error;
      logger.warn('slots could not be given back', { queue, error: error.message });
    });
  }

  private async takeNow(records: number): Promise<number> {
    const { concurrency, globalConcurrency } = this.deps;
    this.wanted = Math.min(concurrency, globalConcurrency, records);
    await this.ask();
    if (!this.lost) this.renewing = keepRenewed(this, this.over.signal, this.deps);
    return this.granted;
  }

  private async ask(): Promise<void> {
    const { run, wanted, granted: has } = this;
    const { queue, onArrival, globalConcurrency: most, store, clock, logger } = this.deps;
    const now = clock.wall();
    this.askedAt = now;
    const until = now + SLOTS_MS;
    try {
      const ask = { run, wanted, has, most, onArrival, now: now - CLOCK_SKEW_MS, until };
      this.granted = await store.slots.take(queue, ask);
      if (has === 0) this.until = until;
    } catch (error) {
      if (!(error instanceof StoreThrottledError || error instanceof StoreUnavailableError)) throw error;
      this.mayHave = true;
      logger.warn('slots could not be taken', { queue, error: error.message });
    }
    this.lost ||= this.granted === 0;
  }

  renewInMs(): number {
    return slotsRenewInMs(this.until, this.deps);
  }

  async renew(): Promise<boolean> {
    if (this.lost) return false;
    const { queue, store, clock } = this.deps;
    const until = clock.wall() + SLOTS_MS;
    if (await store.slots.renew(queue, this.run, until)) this.until = until;
    else this.lost = true;
    return !this.lost;
  }
}
