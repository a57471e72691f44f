import type { RecordsHold } from '../../leases/timed-hold.js';
import type { Clock } from '../../support/clock.js';
import { MAX_PAGE_RECORDS } from '../capacity.js';
import type { RunDeps } from '../deps.js';
import type { DestinationName } from '../destinations.js';
import type { RunOptions } from '../options.js';
import type { Breakers } from './breakers.js';
import { AttemptBudget } from './budget.js';
import type { BusyKeys } from './busy-keys.js';
import { Gate } from './gate.js';
import type { Guard } from './guard.js';
import type { AtOnce, Pool, Share } from './pool.js';
import type { RateLimit } from './rate-limit.js';
import { latestStartOf, TimeLimit } from './time-limit.js';

/** The guards that the options of a queue set, for one run of it. */
export interface QueueGuards {
  /** Attempts at once of a run. */
  readonly concurrency: number;
  /** Divides them among lanes, runs and attempts that outlive the run. Undefined: the run's one lane has all of them. */
  readonly pool: Pool | undefined;
  readonly rateLimit: RateLimit | undefined;
  readonly breakers: Breakers | undefined;
  /** Undefined: the queue is not fair between keys. */
  readonly busyKeys: BusyKeys | undefined;
}

interface QueueRunOptions {
  readonly options: RunOptions;
  readonly destination: DestinationName | undefined;
}

/** Longer than a write takes, as a rule. */
const SPARE_SECONDS = 10;

let loaded: typeof import('./limits.js') | undefined;

/** The code that few runs need. The first of them loads it: the others' cold start is shorter without it. */
export async function limitCode(): Promise<typeof import('./limits.js')> {
  loaded ??= await import('./limits.js');
  return loaded;
}

/** Loads the code of limits. A run does so in real time, when it needs it: before runs are played on `VirtualTime`, call this. */
export async function loadLimits(): Promise<void> {
  await limitCode();
}

export async function queueGuardsOf(
  { options, destination }: QueueRunOptions,
  deps: RunDeps,
): Promise<QueueGuards> {
  const { target, limits, breaker, stop } = options;
  const { attemptsPerSecond: perSecond, attemptTimeout } = limits;
  const { fairness, queue, shards } = target;
  const atOnce = await concurrencyOf(options, deps);
  if (perSecond === undefined && !breaker && !fairness) {
    return { ...atOnce, rateLimit: undefined, breakers: undefined, busyKeys: undefined };
  }
  const { RateLimit, Breakers, BusyKeys } = await limitCode();
  const { breakerMemory: memory = new Map(), keyMemory = new Map() } = deps;
  // As many as this run attempts at once may have their permits before it.
  const permitSeconds = perSecond === undefined ? 0 : atOnce.concurrency / perSecond;
  const probe = { beginsWithin: SPARE_SECONDS + permitSeconds, endsWithin: attemptTimeout };
  return {
    ...atOnce,
    rateLimit:
      perSecond === undefined
        ? undefined
        : new RateLimit({ ...deps, queue, perSecond, latestStart: latestStartOf(options), stop }),
    breakers: breaker && new Breakers({ ...deps, queue, options: breaker, destination, probe, memory }),
    busyKeys: fairness ? new BusyKeys({ ...deps, queue, shards, memory: keyMemory }) : undefined,
  };
}

/** Its part of a run that goes on later, with attempts at once of its own. */
export async function concurrencyOf(
  options: RunOptions,
  deps: RunDeps,
): Promise<Pick<QueueGuards, 'concurrency' | 'pool'>> {
  const { target, limits, longestAttempt, invocation } = options;
  const { lanes, queue, arrivals, fairness } = target;
  const { globalConcurrency } = limits;
  const concurrency = Math.min(limits.concurrency, globalConcurrency ?? limits.concurrency);
  const isDivided =
    globalConcurrency !== undefined ||
    longestAttempt !== undefined ||
    fairness === true ||
    (lanes?.length ?? 1) > 1;
  if (!isDivided) return { concurrency, pool: undefined };
  const { Pool, RunSlots } = await limitCode();
  const slots =
    globalConcurrency === undefined
      ? undefined
      : new RunSlots({
          ...deps,
          ...limits,
          globalConcurrency,
          queue,
          invocation,
          onArrival: arrivals !== undefined,
        });
  return { concurrency, pool: new Pool({ size: concurrency, slots, clock: deps.clock }) };
}

/** The budget of a run. Undefined: it may attempt any number of records. */
export function budgetOf({ limits: { maxRecords } }: RunOptions): AttemptBudget | undefined {
  return maxRecords === undefined ? undefined : new AttemptBudget(maxRecords);
}

/** The gate for the attempts of one lane, or of one batch of records that were just inserted. */
export function gateOf(
  {
    options,
    clock,
    guards,
  }: {
    readonly options: RunOptions;
    readonly clock: Clock;
    readonly guards: QueueGuards;
  },
  own: {
    readonly hold: RecordsHold;
    readonly share: Share | undefined;
    readonly budget: AttemptBudget | undefined;
    readonly longAttempts: Guard | undefined;
  },
): { readonly gate: Gate; readonly atOnce: AtOnce } {
  const { hold, share, budget, longAttempts } = own;
  const { concurrency, breakers, rateLimit, busyKeys } = guards;
  const all = [
    new TimeLimit(options, clock),
    hold,
    share,
    budget,
    longAttempts,
    breakers,
    rateLimit,
    busyKeys,
  ];
  const set = all.filter((guard): guard is Guard => guard !== undefined);
  // A journal names no more of them beside a page.
  const most = Math.min(concurrency, MAX_PAGE_RECORDS);
  return { gate: new Gate(set, clock), atOnce: share ?? { fair: most, most } };
}
