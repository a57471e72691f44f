import type { Clock } from '../clock.js';

/** Lets attempts start at an even pace. */
export class Pace {
  private nextAt = 0;

  constructor(
    private readonly perSecond: number | undefined,
    private readonly clock: Clock,
  ) {}

  /** Resolves when the next attempt may start. */
  async turn(): Promise<void> {
    if (this.perSecond === undefined) return;
    const now = this.clock.wall();
    const at = Math.max(now, this.nextAt);
    this.nextAt = at + 1000 / this.perSecond;
    if (at > now) await this.clock.sleep(at - now);
  }
}
