import { RunLease } from '../leases/lease.js';
import { leaseName } from '../leases/names.js';
import type { TierBand } from '../policies/index.js';
import type { TierRun } from '../store/store.js';
import type { QueueRun } from './context.js';
import { drainLane } from './drain-lane.js';
import { Executor } from './executor.js';
import type { AttemptBudget } from './guards/budget.js';
import type { Share } from './guards/pool.js';
import { budgetOf, gateOf, limitCode } from './guards/queue-guards.js';
import type { LaneRun } from './lane-run.js';
import type { RunTarget } from './options.js';
import { RecordRules } from './record-rules.js';
import { isOfQueue, type StopReason } from './stop-reason.js';

/** Drains the target, and makes up for the runs of slower tiers that were missed. */
export async function runTiers(run: QueueRun, budget: AttemptBudget | undefined): Promise<StopReason> {
  const { target } = run.options;
  const ended = await runTier(run, target.band, budget);
  if (!isOfQueue(ended)) await catchUp(run);
  return ended;
}

/** Drains the target's lanes, or one age band of them. */
export async function runTier(
  run: QueueRun,
  band: TierBand | undefined,
  budget: AttemptBudget | undefined,
): Promise<StopReason> {
  const { options, store, clock, guards } = run;
  const { target } = options;
  const at = clock.now();
  const drain = (lane: string, share?: Share, isWoken = false) =>
    drainLane(laneRun(run, lane, band, share, budget), isWoken);
  const { pool } = guards;
  const ended = pool
    ? await (await limitCode()).drainLanes(run, pool, drain)
    : await drain(target.lanes?.[0] ?? target.lane);
  if (band && isWatched(band) && (ended === 'drained' || ended === 'maxRecords' || ended === 'deadline')) {
    await store.queues.recordTierRun(target.queue, tierKey(band, target), {
      at,
      complete: ended === 'drained',
    });
  }
  return ended;
}

function laneRun(
  run: QueueRun,
  lane: string,
  band: TierBand | undefined,
  share: Share | undefined,
  budget: AttemptBudget | undefined,
): LaneRun {
  const options = { ...run.options, target: { ...run.options.target, lane } };
  const { invocation, limits } = options;
  const lease = new RunLease(leaseName(lane, band), { ...run, invocation }, limits.attemptTimeout);
  const longAttempts = share && options.longestAttempt !== undefined ? run.longAttempts?.(share) : undefined;
  const { gate, atOnce, keyLimit } = gateOf(run, { hold: lease, share, budget, longAttempts });
  const rules = new RecordRules(options, { ...run, gate }, band);
  const { breakers, busyKeys } = run.guards;
  const ofLane = {
    ...run,
    counters: keyLimit?.passes?.countersOf(run.counters) ?? run.counters,
    options,
    rules,
    lease,
    hold: lease,
    gate,
    atOnce,
    keyLimit,
    budget,
    breakers,
    busyKeys,
  };
  return { ...ofLane, executor: new Executor(ofLane, longAttempts), startedAt: run.clock.wall() };
}

/** Runs the slower tiers whose turn was missed or cut short: a rule can be late, a deployment resets its phase. */
async function catchUp(run: QueueRun): Promise<void> {
  const { options, store, clock, counters } = run;
  const { target } = options;
  if (!target.catchUp) return;
  const queue = await store.queues.read(target.queue);
  const slackMs = ((target.band?.every ?? 3600) * 1000) / 2;
  for (const band of target.catchUp) {
    const last = queue.tiers.get(tierKey(band, target));
    if (last && !isOverdue(band, last, clock.now(), slackMs)) continue;
    const ended = await runTier(run, band, budgetOf(options));
    if (isOfQueue(ended)) return;
    // The very first run of a tier makes up for none, and no run has to make up for one that is at work itself.
    if (last && ended !== 'leaseHeld') counters.tierCaughtUp(band.number);
  }
}

/** The key of a tier's last run. If several runs share a queue's lanes, each has keys of its own. */
function tierKey({ number }: TierBand, { part = 0 }: RunTarget): string {
  return part === 0 ? String(number) : `${number}/${part}`;
}

/** The tiers whose missed runs an hourly run makes up for. Earlier tiers fire again soon, and idle for free. */
function isWatched(band: TierBand): boolean {
  return band.number > 2;
}

function isOverdue(band: TierBand, last: TierRun, now: number, slackMs: number): boolean {
  return !last.complete || last.at > now + slackMs || now - last.at > band.every * 1000 + slackMs;
}
