import { notRenewed, RETRY_MS } from '../leases/timed-hold.js';
import { StoreError } from '../store/errors.js';
import { LAST_TIME } from '../support/clock.js';
import { STOP_GRACE_MS } from './attempt.js';
import type { RunContext } from './context.js';
import { LAST_SETTLES_MS } from './guards/time-limit.js';
import { waitUnless } from './wait.js';

/** An attempt that goes on although its signal was aborted. */
export interface Straggler {
  /** Resolves when it has ended, or was given up, and that is settled. */
  readonly settled: Promise<void>;
  /** Settles it without its outcome. */
  readonly abandon: () => void;
}

/** Attempts that ignore their signals: they stay in the journal, and the run renews its lease for them while it waits. */
export class Stragglers {
  readonly byId = new Map<string, Straggler>();
  /** Real time at which those that do not end are given up, when the process is to end. */
  private stopsAt = LAST_TIME;

  constructor(private readonly run: Pick<RunContext, 'options' | 'hold' | 'clock' | 'logger' | 'turns'>) {}

  /** Waits until fewer than `count` are left, renewing the lease, and gives up on them at the deadline. */
  async below(count: number): Promise<void> {
    const { clock, hold, options, turns } = this.run;
    const { deadline, stop } = options;
    // Other queues need not wait for them.
    if (this.byId.size >= count) turns?.rest();
    while (this.byId.size >= count) {
      if (stop?.aborted) this.stopsAt = Math.min(this.stopsAt, clock.wall() + 2 * STOP_GRACE_MS);
      const remaining = Math.min(deadline - LAST_SETTLES_MS, this.stopsAt) - clock.wall();
      if (remaining <= 0) return this.abandon();
      const renewIn = hold.renewInMs();
      if (renewIn > 0) await this.anySettled(Math.min(remaining, renewIn));
      else if (!(await this.renew())) return this.abandon();
    }
  }

  /** Renews the hold. If that fails, it is repeated while there is time, as during the work of a page. */
  private async renew(): Promise<boolean> {
    const { hold, logger } = this.run;
    try {
      return await hold.extend([...this.byId.keys()]);
    } catch (error) {
      if (error instanceof StoreError && hold.leftMs() > 2 * RETRY_MS) {
        notRenewed(hold, error, logger);
        await this.anySettled(RETRY_MS);
        return true;
      }
      // The run ends with that: what happens to them must be known first.
      await this.abandon();
      throw error;
    }
  }

  private async anySettled(milliseconds: number): Promise<void> {
    const { clock, options } = this.run;
    const all = [...this.byId.values()].map(({ settled }) => settled);
    const anyOf = Promise.race(all);
    // Once the process is to end, there are moments left.
    const stop = options.stop?.aborted ? undefined : options.stop;
    await waitUnless(anyOf, milliseconds, { clock, stop });
  }

  private async abandon(): Promise<void> {
    const left = [...this.byId.values()];
    for (const { abandon } of left) abandon();
    await Promise.all(left.map(({ settled }) => settled));
  }
}
