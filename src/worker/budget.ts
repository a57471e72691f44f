import type { Clock } from '../clock.js';
import type { RunOptions } from './options.js';

/** Before the function's own deadline: time to settle what never ends, and to give the lease back. */
export const LAST_SETTLES_MS = 4_000;

/** How many attempts a run may still begin, and until when. */
export class AttemptBudget {
  private readonly most: number;
  private begun = 0;

  constructor(
    private readonly options: Pick<RunOptions, 'limits' | 'deadline'>,
    private readonly clock: Clock,
  ) {
    this.most = options.limits.maxRecords ?? Number.POSITIVE_INFINITY;
  }

  /** Attempts that were begun. */
  get used(): number {
    return this.begun;
  }

  get left(): number {
    return this.most - this.begun;
  }

  /** What is left of the half that records may use which came after those that an earlier run left. */
  get freshLeft(): number {
    return Math.max(0, Math.floor(this.most / 2) - this.begun);
  }

  /** An attempt begins. */
  use(): void {
    this.begun++;
  }

  /** It was not made after all. */
  giveBack(): void {
    this.begun--;
  }

  /** Real time before which the last attempt must begin. */
  get latestStart(): number {
    const { limits, deadline } = this.options;
    return deadline - limits.attemptTimeout * 1000 - LAST_SETTLES_MS;
  }

  /** Whether an attempt that begins then (real time), or now if that is later, ends before the function must. */
  fits(startsAt: number): boolean {
    return Math.max(this.clock.wall(), startsAt) < this.latestStart;
  }
}
