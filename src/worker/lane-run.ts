import { withHeartbeat } from '../leases/heartbeat.js';
import type { RunLease } from '../leases/lease.js';
import type { RunContext } from './context.js';
import type { Executor } from './executor.js';

/** What the steps of a lane's run hand to each other. */
export interface LaneRun extends RunContext {
  readonly lease: RunLease;
  readonly executor: Executor;
  /** Real time at which the lane's run began. */
  readonly startedAt: number;
}

/** Waits for the permit of the next attempt, and renews the lease meanwhile. A wait that is too long is left. */
export async function permitComes(run: LaneRun, attempts: number): Promise<void> {
  const { rateLimit, budget, clock, executor, options, share } = run;
  await share.slots.ensure();
  await rateLimit.acquire(attempts, budget.latestStart);
  while (rateLimit.waitMs() > 0 && executor.hasRoom()) {
    await withHeartbeat(clock.sleep(rateLimit.waitMs(), options.stop), () => executor.stragglers.ids, run);
  }
}

/** Acts when it is the lane's turn among those of several queues. */
export async function inTurn<T>(run: LaneRun, act: () => Promise<T>): Promise<T> {
  if (!run.turns) return act();
  const turn = run.turns.take();
  try {
    await withHeartbeat(turn, () => run.executor.stragglers.ids, run);
    return await act();
  } finally {
    void turn.then((end) => end());
  }
}
