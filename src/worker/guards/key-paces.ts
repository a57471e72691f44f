import { StoreThrottledError, StoreUnavailableError } from '../../store/errors.js';
import type { AttemptLogger } from '../../support/logger.js';
import { Pace, type PaceDeps } from './pace.js';

/** Time after which permits are asked for again that could not be acquired. */
const ASK_AGAIN_MS = 1_000;

export interface KeyPacesDeps extends Omit<PaceDeps, 'key'> {
  /** Real time; no permit is acquired that would be later. */
  readonly latestStart: number;
  readonly logger: AttemptLogger;
}

/**
 * The paces of the keys of one run: the attempts of each key start evenly, in all runs of the queue together. Keys are known by
 * their short names; one whose next attempt could start at once is forgotten.
 */
export class KeyPaces {
  private readonly paces = new Map<string, Pace>();
  /** Real time before which nothing is asked for: the store did not answer. */
  private askAgainAt = 0;

  constructor(private readonly deps: KeyPacesDeps) {}

  /**
   * Acquires permits for the next attempts of keys that have none left.
   *
   * @param needed numbers of attempts, by key
   * @param maxWaitMs the longest wait for a permit. None is acquired that comes later
   */
  async take(needed: ReadonlyMap<string, number>, maxWaitMs: number): Promise<void> {
    const { clock, perSecond, latestStart } = this.deps;
    if (clock.wall() < this.askAgainAt) return;
    this.forget(needed);
    const inTime = Math.floor((Math.min(maxWaitMs, latestStart - clock.wall()) * perSecond) / 1000) + 1;
    const latest = () => Math.min(latestStart, clock.wall() + maxWaitMs);
    const asked = [...needed].map(([key, count]) =>
      this.paceOf(key).acquire(Math.max(1, Math.min(count, inTime)), latest),
    );
    for (const answer of await Promise.allSettled(asked))
      if (answer.status === 'rejected') this.troubled(answer.reason);
  }

  /** Real milliseconds until the next permit of a key. Infinite: none comes in time. */
  waitMs(key: string): number {
    const { clock } = this.deps;
    const pace = this.paces.get(key);
    if (pace?.hasNext) return Math.max(0, pace.nextAt - clock.wall());
    const againMs = this.askAgainAt - clock.wall();
    return againMs > 0 ? againMs : Number.POSITIVE_INFINITY;
  }

  /** Tells whether an attempt of the key may start now. */
  isDue(key: string): boolean {
    return this.waitMs(key) === 0;
  }

  /** Uses the permit of an attempt that starts now. False: there is none. */
  tryUse(key: string): boolean {
    if (!this.isDue(key)) return false;
    this.paces.get(key)?.use(this.deps.clock.wall());
    return true;
  }

  /** See `Pace.postpone`. */
  async postpone(key: string): Promise<void> {
    await this.paces
      .get(key)
      ?.postpone()
      .catch((error) => this.troubled(error));
  }

  private paceOf(key: string): Pace {
    const pace = this.paces.get(key) ?? new Pace({ ...this.deps, key });
    this.paces.set(key, pace);
    return pace;
  }

  private forget(needed: ReadonlyMap<string, number>): void {
    for (const [key, pace] of this.paces) {
      if (pace.isIdle && !needed.has(key)) this.paces.delete(key);
    }
  }

  private troubled(error: unknown): void {
    if (!(error instanceof StoreThrottledError || error instanceof StoreUnavailableError)) throw error;
    const { clock, logger, queue } = this.deps;
    this.askAgainAt = clock.wall() + ASK_AGAIN_MS;
    logger.warn('permits of keys could not be acquired', { queue, error: error.message });
  }
}
