import type { RunLease } from '../leases/lease.js';
import { withHeartbeat } from '../leases/timed-hold.js';
import type { RunContext } from './context.js';
import type { Executor } from './executor.js';
import type { Breakers } from './guards/breakers.js';
import type { AttemptBudget } from './guards/budget.js';
import type { StopReason } from './stop-reason.js';

/** The state that the steps of a lane's run hand to each other. */
export interface LaneRun extends RunContext {
  readonly lease: RunLease;
  readonly executor: Executor;
  /** Undefined: the queue has none. */
  readonly breakers: Breakers | undefined;
  /** Undefined: the run may attempt any number of records. */
  readonly budget: AttemptBudget | undefined;
  /** Real time at which the lane's run began. */
  readonly startedAt: number;
}

/**
 * Waits until an attempt may begin, and renews the lease meanwhile. A wait that is too long is left.
 *
 * @returns why none may begin: another region has become the active one
 */
export async function beginRound(run: LaneRun, attempts: number): Promise<StopReason | undefined> {
  const { gate, clock, executor, options } = run;
  if (options.isPassive && (await whileHeld(run, options.isPassive()))) return 'passiveRegion';
  await whileHeld(run, gate.prepare(attempts));
  while (gate.waitMs() > 0 && executor.hasRoom()) {
    await whileHeld(run, clock.sleep(gate.waitMs(), options.stop));
  }
  return undefined;
}

/** Waits between pages, and renews the lease for what is in flight: one request may not be answered. */
export function whileHeld<T>(run: LaneRun, wait: Promise<T>): Promise<T> {
  return withHeartbeat(wait, () => [...run.executor.inFlight], run);
}

/** Acts when it is the lane's turn among those of several queues. */
export async function inTurn<T>(run: LaneRun, act: () => Promise<T>): Promise<T> {
  if (!run.turns) return act();
  const turn = run.turns.take();
  try {
    await whileHeld(run, turn);
    return await act();
  } finally {
    void turn.then((end) => end());
  }
}
