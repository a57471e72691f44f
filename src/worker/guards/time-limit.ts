import type { Clock } from '../../support/clock.js';
import type { RunOptions } from '../options.js';
import type { StopReason } from '../stop-reason.js';
import type { Guard } from './guard.js';

/** Time before the function's own deadline, to settle attempts that never end, and to give the lease back. */
export const LAST_SETTLES_MS = 4_000;

type Times = Pick<RunOptions, 'deadline' | 'stop'> & {
  readonly limits: Pick<RunOptions['limits'], 'attemptTimeout'>;
};

/** Real time before which the last attempt of a run must begin. */
export function latestStartOf({ deadline, limits }: Times): number {
  return deadline - limits.attemptTimeout * 1000 - LAST_SETTLES_MS;
}

/** Lets an attempt begin only if it ends before the function does, and none once the process is to end. */
export class TimeLimit implements Guard {
  private readonly latestStart: number;

  constructor(
    private readonly options: Times,
    private readonly clock: Clock,
  ) {
    this.latestStart = latestStartOf(options);
  }

  stopReason(startsAt: number): StopReason | undefined {
    if (this.options.stop?.aborted) return 'stopped';
    return this.covers(startsAt) ? undefined : 'deadline';
  }

  covers(startsAt: number): boolean {
    return !this.options.stop?.aborted && Math.max(this.clock.wall(), startsAt) < this.latestStart;
  }
}
