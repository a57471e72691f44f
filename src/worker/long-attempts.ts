import type { RunningAttempt } from './attempt.js';
import { type RunContext, watchAttempts } from './context.js';
import type { Entry } from './guards/gate.js';
import type { Guard } from './guards/guard.js';
import type { AtOnce } from './guards/pool.js';
import { HOLD_AFTER_MS, LongAttempt } from './long-attempt.js';
import type { StopReason } from './stop-reason.js';
import { waitUnless } from './wait.js';

/** Attempts that go on without their run, in a process that lives on. Each keeps its place among the attempts at once. */
export class LongAttempts implements Guard {
  private underWay = 0;

  constructor(private readonly share: AtOnce) {}

  stopReason(): StopReason | undefined {
    return this.underWay >= this.share.most ? 'concurrencyLimited' : undefined;
  }

  /**
   * Waits for an attempt for half a minute. One that takes longer goes on without the run, and its record says that it is under
   * attempt.
   *
   * @returns false: the attempt has ended or must end, under the hold of the run
   */
  async takeOver(
    attempt: RunningAttempt,
    timeoutSeconds: number,
    entry: Entry,
    run: RunContext,
  ): Promise<boolean> {
    const { clock, counters, onLongAttempt, options } = run;
    if (!onLongAttempt || timeoutSeconds * 1000 <= HOLD_AFTER_MS) return false;
    if (!(await waitUnless(attempt.outcome, HOLD_AFTER_MS, { clock, stop: options.stop }))) return false;
    const long = new LongAttempt({ attempt, entry, timeoutSeconds }, run);
    if (!(await long.begin())) {
      attempt.cancel(new Error('it could not be noted on the record that it is under attempt'));
      return false;
    }
    // It is counted with its end. A caller that waits for the end of a probe does not wait for so long.
    counters.notStarted();
    entry.detach();
    this.underWay++;
    const unwatch = watchAttempts(run, [attempt.record.id], true);
    const ended = long.end().finally(() => {
      unwatch?.();
      this.underWay--;
    });
    onLongAttempt(options.target.queue, ended);
    return true;
  }
}
