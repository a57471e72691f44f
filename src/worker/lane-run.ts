import type { RunLease } from '../leases/lease.js';
import { withHeartbeat } from '../leases/timed-hold.js';
import type { RunContext } from './context.js';
import type { Executor } from './executor.js';
import type { Breakers } from './guards/breakers.js';
import type { AttemptBudget } from './guards/budget.js';
import type { BusyKeys } from './guards/busy-keys.js';
import type { StopReason } from './stop-reason.js';

/** The state that the steps of a lane's run hand to each other. */
export interface LaneRun extends RunContext {
  readonly lease: RunLease;
  readonly executor: Executor;
  /** Undefined: the queue has none. */
  readonly breakers: Breakers | undefined;
  /** Undefined: the queue is not fair between keys. */
  readonly busyKeys: BusyKeys | undefined;
  /** Undefined: the run may attempt any number of records. */
  readonly budget: AttemptBudget | undefined;
  /** Real time at which the lane's run began. */
  readonly startedAt: number;
}

/** A wait of this length is no part of a turn: the other queues have theirs meanwhile. */
const MAX_WAIT_IN_TURN_MS = 1_000;

/** Waits between pages, and renews the lease for what is in flight: one request may not be answered. */
export function whileHeld<T>(run: LaneRun, wait: Promise<T>): Promise<T> {
  return withHeartbeat(wait, () => [...run.executor.inFlight], run);
}

/** Waits until an attempt may begin, and renews the lease meanwhile. A wait that is too long is left. */
async function awaitPermit(run: LaneRun, attempts: number): Promise<void> {
  const { gate, clock, executor, options, turns } = run;
  await whileHeld(run, gate.prepare(attempts));
  while (gate.waitMs() > 0 && executor.hasRoom()) {
    if (gate.waitMs() > MAX_WAIT_IN_TURN_MS) turns?.rest();
    await whileHeld(run, clock.sleep(gate.waitMs(), options.stop));
  }
}

/**
 * Acts when so many attempts may begin, and it is the lane's turn among those of several queues.
 *
 * @returns what `act` returns, or why no attempt may begin: another region has become the active one
 */
export async function inTurn<T>(
  run: LaneRun,
  attempts: number,
  act: () => Promise<T>,
): Promise<T | StopReason> {
  const { options, turns } = run;
  await awaitPermit(run, attempts);
  const turn = turns?.take(run.atOnce.isBusyLane);
  try {
    if (turn) await whileHeld(run, turn);
    if (options.isPassive && (await whileHeld(run, options.isPassive()))) return 'passiveRegion';
    return await act();
  } finally {
    void turn?.then((end) => end());
  }
}
