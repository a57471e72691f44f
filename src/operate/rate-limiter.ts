import type { Clock } from '../clock.js';

/** Spaces permits evenly. */
export class RateLimiter {
  /** Real time of the next free permit. */
  nextAt = 0;

  constructor(
    private readonly perSecond: number | undefined,
    private readonly clock: Clock,
  ) {}

  waitMs(): number {
    return Math.max(0, this.nextAt - this.clock.wall());
  }

  /** Acquires the next free permit, and resolves when it comes, or the signal is aborted. */
  async acquire(signal?: AbortSignal): Promise<void> {
    if (this.perSecond === undefined) return;
    const waitMs = this.waitMs();
    this.nextAt = this.clock.wall() + waitMs + 1000 / this.perSecond;
    if (waitMs > 0) await this.clock.sleep(waitMs, signal);
  }
}
