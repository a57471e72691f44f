import type { Clock } from '../clock.js';
import { LEAST_SPARE_SECONDS, type RunOptions } from './options.js';

/** A rule fires once a minute at most: a run that takes over sooner than that leaves no gap before the next tick. */
const LONGEST_WAIT_MS = 60_000;
const BETWEEN_LOOKS_MS = 2_000;

/**
 * Waits for a run that must end soon, whatever is left, so that a pile that takes longer than one function may work
 * has no gaps from one run to the next. A run that would have to wait for long ends instead: the rule fires again.
 */
export class WaitForLease {
  /** Real time, epoch milliseconds. */
  private readonly latest: number;

  constructor(
    private readonly options: Pick<RunOptions, 'deadline' | 'limits' | 'tickSeconds' | 'stop'>,
    private readonly clock: Clock,
  ) {
    const mostMs = Math.min(LONGEST_WAIT_MS, options.tickSeconds * 1000);
    this.latest = Math.min(clock.wall() + mostMs, options.deadline - this.leastMs);
  }

  /**
   * Waits until the holder of the lease may have let go.
   *
   * @param holderEnds real time of its end; undefined if that is not known
   * @returns false if that is too far away
   */
  async waitFor(holderEnds: number | undefined): Promise<boolean> {
    if (holderEnds === undefined) return false;
    const now = this.clock.wall();
    // It begins no attempt that could last longer than it may.
    const earliest = Math.max(now + BETWEEN_LOOKS_MS, holderEnds - this.leastMs);
    if (earliest > this.latest) return false;
    const { stop } = this.options;
    await this.clock.sleep(earliest - now, stop);
    return !stop?.aborted;
  }

  /** What a run needs to begin an attempt. */
  private get leastMs(): number {
    return (this.options.limits.attemptTimeout + LEAST_SPARE_SECONDS) * 1000;
  }
}
