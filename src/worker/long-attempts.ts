import type { RunningAttempt } from './attempt.js';
import type { LongAttemptGuard, RunContext } from './context.js';
import type { Entry } from './guards/gate.js';
import type { Share } from './guards/pool.js';
import { HOLD_AFTER_MS, LongAttempt } from './long-attempt.js';
import type { StopReason } from './stop-reason.js';
import type { RunSummary } from './summary.js';
import { waitUnless } from './wait.js';

/** Gets the queue of an attempt that goes on without its run, and the summary of that attempt once it has ended. */
export type OnLongAttempt = (queue: string, ended: Promise<RunSummary>) => void;

/** Long attempts of a process that lives on, for `LiveRunDeps`. */
export function longAttempts(onLongAttempt: OnLongAttempt): (share: Share) => LongAttemptGuard {
  return (share) => new LongAttempts(share, onLongAttempt);
}

/** Attempts that go on without their run, in a process that lives on. Each keeps its place among the attempts at once. */
class LongAttempts implements LongAttemptGuard {
  constructor(
    private readonly share: Share,
    private readonly onLongAttempt: OnLongAttempt,
  ) {}

  stopReason(): StopReason | undefined {
    return this.share.isAllLong ? 'concurrencyLimited' : undefined;
  }

  async takeOver(
    attempt: RunningAttempt,
    timeoutSeconds: number,
    entry: Entry,
    run: RunContext,
  ): Promise<boolean> {
    const { clock, counters, options } = run;
    if (timeoutSeconds * 1000 <= HOLD_AFTER_MS) return false;
    if (!(await waitUnless(attempt.outcome, HOLD_AFTER_MS, { clock, stop: options.stop }))) return false;
    const long = new LongAttempt({ attempt, entry, timeoutSeconds }, run);
    const refusal = await long.begin();
    if (refusal) {
      attempt.cancel(refusal);
      return false;
    }
    // It is counted with its end. A caller that waits for the end of a probe does not wait for so long.
    counters.notStarted();
    entry.detach();
    this.share.addLong(1);
    const unwatch = run.watchdog?.watch({
      queue: options.target.queue,
      ids: [attempt.record.id],
      seconds: options.limits.attemptTimeout,
      othersWait: true,
    });
    const ended = long.end().finally(() => {
      unwatch?.();
      this.share.addLong(-1);
    });
    this.onLongAttempt(options.target.queue, ended);
    return true;
  }
}
