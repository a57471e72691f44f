import { setMaxListeners } from 'node:events';
import { PAGE_SECONDS } from '../leases/timed-hold.js';
import { laneFor } from '../record/index.js';
import { boundedStore } from '../store/bounded-store.js';
import { StoreError } from '../store/errors.js';
import { ConfigurationError } from '../support/errors.js';
import { frozenLogger } from '../support/logger.js';
import { watchPrototypes } from '../support/prototypes.js';
import { INDEX_LAG_MS } from './capacity.js';
import type { LiveRunDeps, QueueRun } from './context.js';
import { RunCounters } from './counters.js';
import type { RunDeps } from './deps.js';
import { destinationNames } from './destinations.js';
import { FailingWatch } from './failing-watch.js';
import { FailureLog } from './failure-log.js';
import { attemptOnInsert } from './first-attempts.js';
import type { AttemptBudget } from './guards/budget.js';
import { budgetOf, concurrencyOf, queueGuardsOf } from './guards/queue-guards.js';
import {
  type Arrivals,
  isShortOfTime,
  MIN_SPARE_SECONDS,
  type RunOptions,
  type RunTarget,
} from './options.js';
import { losesArrivals, type StopReason } from './stop-reason.js';
import type { RunSummary } from './summary.js';
import { runTier, runTiers } from './tiers.js';

/**
 * Attempts every record of the target that is due, in pages, until nothing is left, a limit is reached or time is
 * short; or a batch of records that have just come. Ends before the deadline. Any number of runs of the same target may
 * be started: one works, the others ask it to look once more.
 *
 * Trouble with the store ends the run cleanly, and the summary reports it; no record is lost by it.
 *
 * @throws ConfigurationError if the function's timeout leaves no room for a single attempt
 */
export async function run(asked: RunOptions, given: RunDeps): Promise<RunSummary> {
  const { longAttempts }: LiveRunDeps = given;
  const options = longAttempts ? underLease(asked) : asked;
  checkTimeout(options);
  // All attempts under way listen to it: Node.js would warn of a leak from the eleventh on.
  if (options.stop) setMaxListeners(0, options.stop);
  watchPrototypes();
  // What goes on without the run may not end with it.
  const store = longAttempts ? given.store : boundedStore(given.store, given.clock, options.deadline);
  const deps = { ...given, store, logger: frozenLogger(given.logger) };
  const { clock } = deps;
  const counters = new RunCounters();
  const failures = new FailureLog(deps.logger, options.logsErrorTexts === true);
  const destination = options.destination && destinationNames(options.destination, deps.logger);
  const guards = await queueGuardsOf({ options, destination }, deps);
  const { queue, lane, band, arrivals, exactSince, retryMode } = options.target;
  const isRuleOfRecords = !band && !arrivals && exactSince === undefined && retryMode !== 'progressive';
  // A hold on the record would change when it is due.
  const probes = isRuleOfRecords && options.limits.probes !== false && options.longestAttempt === undefined;
  const failing = new FailingWatch({ ...deps, queue, destination, probes });
  const queueRun: QueueRun = { ...deps, options, counters, failures, failing, guards };
  const startedAt = clock.wall();
  let ended: StopReason;
  try {
    const budget = budgetOf(options);
    ended = arrivals ? await attemptArrivals(queueRun, arrivals, budget) : await runTiers(queueRun, budget);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    counters.troubled(error);
    ended = 'storeError';
  } finally {
    await guards.pool?.close();
    await guards.keyLimits?.close();
    failures.end(queue);
  }
  const failingSeconds = await failing.end();
  const counted = counters.summary({ queue, lane, tier: band?.number }, ended, clock.wall() - startedAt);
  const summary = failingSeconds === undefined ? counted : { ...counted, failingSeconds };
  return arrivals && losesArrivals(ended) ? { ...summary, comesBack: true } : summary;
}

/** Limits attempts under the lease to the time of a page: a crash blocks a lane for no longer. Longer ones go on without it. */
function underLease(options: RunOptions): RunOptions {
  const { limits } = options;
  const { attemptTimeout: longestAttempt } = limits;
  if (longestAttempt <= PAGE_SECONDS) return options;
  return { ...options, longestAttempt, limits: { ...limits, attemptTimeout: PAGE_SECONDS } };
}

function checkTimeout({ functionTimeoutSeconds, limits: { attemptTimeout } }: RunOptions): void {
  if (functionTimeoutSeconds >= attemptTimeout + MIN_SPARE_SECONDS) return;
  throw new ConfigurationError(
    `attemptTimeout: expected at least ${MIN_SPARE_SECONDS} s less than the function's timeout of ` +
      `${functionTimeoutSeconds} s, got ${attemptTimeout}`,
  );
}

/**
 * Attempts records that were just inserted, and indexes those for which there is no room. This run then drains their
 * lanes, as a rule's run would, so that they need not wait for a rule. It does so under the lease: of many such runs one
 * works, and the others ask it to look once more.
 */
async function attemptArrivals(
  run: QueueRun,
  arrivals: Arrivals,
  budget: AttemptBudget | undefined,
): Promise<StopReason> {
  const { options, clock, counters } = run;
  const { ended, overflow } = await attemptOnInsert(run, arrivals, budget);
  const { queue, shards, retryMode, firstBand } = options.target;
  const own = overflow.filter((record) => record.queue === queue);
  if (own.length === 0 || (retryMode === 'progressive' && !firstBand)) return ended;
  // A request without an answer may have taken all of its time: the next rule looks after them.
  if (isShortOfTime(options, clock)) return ended;
  // The drain takes slots of its own. Other runs have these during the wait.
  await run.guards.pool?.close();
  await clock.sleep(INDEX_LAG_MS, options.stop);
  const lanes = run.guards.busyKeys?.lanesOf(own) ?? {
    lanes: [...new Set(own.map((record) => laneFor(record, shards)))],
  };
  const before = counters.attempted;
  try {
    await drainIndexed(run, lanes, budget);
  } finally {
    counters.leftOver(-Math.min(own.length, counters.attempted - before));
  }
  return ended;
}

/** Drains lanes as a rule's run would, with the rate limit and the breakers of this run, but with slots of its own. */
async function drainIndexed(
  run: QueueRun,
  lanes: Pick<RunTarget, 'lanes' | 'busyLanes'>,
  budget: AttemptBudget | undefined,
): Promise<void> {
  const { arrivals: _, firstBand, ...rest } = run.options.target;
  const options = { ...run.options, target: { ...rest, ...lanes } };
  const guards = { ...run.guards, ...(await concurrencyOf(options, run)) };
  try {
    await runTier({ ...run, options, guards }, firstBand, budget);
  } finally {
    await guards.pool?.close();
    run.turns?.rest();
  }
}
