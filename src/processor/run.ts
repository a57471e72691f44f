import { setMaxListeners } from 'node:events';
import { ConfigurationError } from '../errors.js';
import type { TierBand } from '../policies/index.js';
import { laneFor } from '../record/index.js';
import { StoreError } from '../store/errors.js';
import type { TierRun } from '../store/store.js';
import { ArrivalsRun } from './arrivals-run.js';
import { boundedStore } from './bounded-store.js';
import { RunCounters } from './counters.js';
import type { RunDeps } from './deps.js';
import { LaneRun } from './lane-run.js';
import { drainLanes } from './lanes.js';
import { type QueueLimits, queueLimitsOf } from './limits/queue-limits.js';
import { Linger } from './linger.js';
import {
  type Arrivals,
  isShortOfTime,
  LEAST_SPARE_SECONDS,
  type RunOptions,
  type RunTarget,
} from './options.js';
import type { RunSummary, StopReason } from './summary.js';
import { Upcoming } from './upcoming.js';

/** By then an index shows what was written. */
const INDEX_LAG_MS = 1_000;

/**
 * Attempts every record of the target that is due, in pages, until nothing is left, a limit is reached or time is
 * short; or a batch of records that have just come. Ends before the deadline. Any number of runs of the same target may
 * be started: one works, the others ask it to look once more.
 *
 * Trouble with the store ends the run cleanly, and the summary reports it; no record is lost by it.
 *
 * @throws ConfigurationError if the function's timeout leaves no room for a single attempt
 */
export async function run(options: RunOptions, given: RunDeps): Promise<RunSummary> {
  const { target, functionTimeoutSeconds, limits } = options;
  if (functionTimeoutSeconds < limits.attemptTimeout + LEAST_SPARE_SECONDS) {
    throw new ConfigurationError(
      `attemptTimeout: expected at least ${LEAST_SPARE_SECONDS} s less than the function's timeout of ` +
        `${functionTimeoutSeconds} s, got ${limits.attemptTimeout}`,
    );
  }
  // All attempts under way listen to it: Node.js would warn of a leak from the eleventh on.
  if (options.stop) setMaxListeners(0, options.stop);
  const upcoming = target.onePage?.upcoming ?? new Upcoming();
  const deps = { ...given, upcoming, store: boundedStore(given.store, given.clock, options.deadline) };
  const startedAt = deps.clock.wall();
  const staysFrom = deps.clock.now();
  const counters = new RunCounters();
  const queueLimits = queueLimitsOf(options, deps);
  let ended: StopReason;
  try {
    ended = target.arrivals
      ? await attemptArrivals(options, deps, counters, queueLimits, target.arrivals)
      : await runTiers(options, deps, counters, queueLimits);
    if (mayStay(options, ended)) {
      // A sleeping run gives its slots back, so that no other run waits for them.
      await queueLimits.pool.close();
      const drain = (lanes: readonly string[], exactSince: number) => {
        const ofExact = { ...options, target: { ...target, arrivals: undefined, lanes, exactSince } };
        return withSlotsOfRules(ofExact, deps, queueLimits, (anew) =>
          runTier(ofExact, deps, counters, anew, undefined, 0),
        );
      };
      ended = (await new Linger(options, { ...deps, startedAt: staysFrom, drain }).stay()) ?? ended;
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    counters.troubled(error);
    ended = 'storeError';
  } finally {
    await queueLimits.pool.close();
  }
  const { queue, lane, band } = target;
  return counters.summary({ queue, lane, tier: band?.number }, ended, deps.clock.wall() - startedAt);
}

/**
 * Attempts records that were just inserted, and indexes those for which there is no room. This run then drains their
 * lanes, as a rule's run would, so that they need not wait for a rule. It does so under the lease: of many such runs one
 * works, and the others ask it to look once more.
 */
async function attemptArrivals(
  options: RunOptions,
  deps: RunDeps,
  counters: RunCounters,
  queueLimits: QueueLimits,
  arrivals: Arrivals,
): Promise<StopReason> {
  const run = new ArrivalsRun(options, deps, counters, queueLimits, arrivals);
  const ended = await run.attempt();
  const { arrivals: _, firstBand, ...target } = options.target;
  const { queue, shards, retryMode } = target;
  const own = run.crowdedOut.filter((record) => record.queue === queue);
  if (own.length === 0 || (retryMode === 'progressive' && !firstBand)) return ended;
  // A request without an answer may have taken all of its time: the next rule looks after them.
  if (isShortOfTime(options, deps.clock)) return ended;
  await deps.clock.sleep(INDEX_LAG_MS, options.stop);
  const lanes = [...new Set(own.map((record) => laneFor(record, shards)))];
  const byRule = { ...options, target: { ...target, lanes } };
  const before = counters.attempted;
  try {
    await withSlotsOfRules(byRule, deps, queueLimits, (anew) =>
      runTier(byRule, deps, counters, anew, firstBand),
    );
  } finally {
    counters.leftOver(-Math.min(own.length, counters.attempted - before));
  }
  return ended;
}

/** For what the same run does later, as a rule's would: it has one rate limit, and has seen its breakers. */
async function withSlotsOfRules<Answer>(
  options: RunOptions,
  deps: RunDeps,
  { rateLimit, breakers }: QueueLimits,
  act: (queueLimits: QueueLimits) => Promise<Answer>,
): Promise<Answer> {
  const queueLimits = { ...queueLimitsOf(options, deps), rateLimit, breakers };
  try {
    return await act(queueLimits);
  } finally {
    await queueLimits.pool.close();
  }
}

/** Ends of a run that has done what it could: what it has settled may come due soon. */
const STAYS: ReadonlySet<StopReason> = new Set(['drained', 'leaseHeld', 'concurrencyLimited']);

/** A progressive queue's rules keep its schedule, and a run of one page leaves it to the last one. */
function mayStay({ target: { band, retryMode, onePage } }: RunOptions, ended: StopReason): boolean {
  const isPerRecord = band === undefined && retryMode !== 'progressive';
  return isPerRecord && onePage === undefined && STAYS.has(ended);
}

async function runTiers(
  options: RunOptions,
  deps: RunDeps,
  counters: RunCounters,
  queueLimits: QueueLimits,
): Promise<StopReason> {
  const ended = await runTier(options, deps, counters, queueLimits, options.target.band);
  if (!isStopped(ended)) await catchUp(options, deps, counters, queueLimits);
  return ended;
}

async function runTier(
  options: RunOptions,
  deps: RunDeps,
  counters: RunCounters,
  queueLimits: QueueLimits,
  band: TierBand | undefined,
  /** Attempts that do not count against its limit. */
  before = counters.attempted,
): Promise<StopReason> {
  const at = deps.clock.now();
  const { target } = options;
  const ended = await drainLanes(target.lanes ?? [target.lane], queueLimits.pool, (lane, share) => {
    const ofLane = { ...options, target: { ...target, lane } };
    return new LaneRun(ofLane, deps, counters, { ...queueLimits, share }, band, before).drain();
  });
  if (band && isWatched(band) && (ended === 'drained' || ended === 'maxRecords' || ended === 'deadline')) {
    const run = { at, complete: ended === 'drained' };
    await deps.store.recordTierRun(target.queue, tierKey(band, target), run);
  }
  return ended;
}

/** The key of a tier's last run. If several runs share a queue's lanes, each has keys of its own. */
function tierKey({ number }: TierBand, { part = 0 }: RunTarget): string {
  return part === 0 ? String(number) : `${number}/${part}`;
}

/** The tiers whose missed runs an hourly run makes up for. Earlier tiers fire again soon, and idle for free. */
function isWatched(band: TierBand): boolean {
  return band.number > 2;
}

/** Runs the slower tiers whose turn was missed or cut short: a rule can be late, a deployment resets its phase. */
async function catchUp(
  options: RunOptions,
  deps: RunDeps,
  counters: RunCounters,
  queueLimits: QueueLimits,
): Promise<void> {
  if (!options.target.catchUp) return;
  const queue = await deps.store.readQueue(options.target.queue);
  const slackMs = ((options.target.band?.every ?? 3600) * 1000) / 2;
  for (const band of options.target.catchUp) {
    const last = queue.tiers.get(tierKey(band, options.target));
    if (last && !isOverdue(band, last, deps.clock.now(), slackMs)) continue;
    const ended = await runTier(options, deps, counters, queueLimits, band);
    if (isStopped(ended)) return;
    // The very first run of a tier makes up for none, and no run has to make up for one that is at work itself.
    if (last && ended !== 'leaseHeld') counters.tierCaughtUp(band.number);
  }
}

/** The queue itself lets no run go on, of whatever tier. */
function isStopped(ended: StopReason): boolean {
  if (ended === 'concurrencyLimited') return true;
  return ended === 'stopped' || ended === 'paused' || ended === 'breakerOpen' || ended === 'retryModeChanged';
}

function isOverdue(band: TierBand, last: TierRun, now: number, slackMs: number): boolean {
  return !last.complete || last.at > now + slackMs || now - last.at > band.every * 1000 + slackMs;
}
