import type { RecordsHold } from '../../leases/timed-hold.js';
import type { Clock } from '../../support/clock.js';
import { MAX_PAGE_RECORDS, SHORT_SECONDS } from '../capacity.js';
import type { RunDeps } from '../deps.js';
import type { DestinationName } from '../destinations.js';
import type { RunOptions } from '../options.js';
import { AttemptBudget } from './budget.js';
import { Gate } from './gate.js';
import type { Guard } from './guard.js';
import type { KeyLimit } from './key-limit.js';
import type { LimitGuards } from './limit-guards.js';
import type { AtOnce, Pool, Share } from './pool.js';
import { TimeLimit } from './time-limit.js';

/** The guards that the options of a queue set, for one run of it. */
export interface QueueGuards extends Partial<LimitGuards> {
  /** Attempts at once of a run. */
  readonly concurrency: number;
  /** Divides them among lanes, runs and attempts that outlive the run. Undefined: the run's one lane has all of them. */
  readonly pool: Pool | undefined;
}

interface QueueRunOptions {
  readonly options: RunOptions;
  readonly destination: DestinationName | undefined;
}

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
  const { target, limits, breaker } = options;
  const atOnce = await concurrencyOf(options, deps);
  const isLimited = limits.attemptsPerSecond || limits.concurrencyPerKey || limits.attemptsPerSecondPerKey;
  const isLong = limits.attemptTimeout > SHORT_SECONDS;
  if (!isLimited && !breaker && !target.fairness && !isLong) return atOnce;
  const { limitGuardsOf } = await limitCode();
  return { ...atOnce, ...limitGuardsOf(options, atOnce.concurrency, destination, deps) };
}

/** Its part of a run that goes on later, with attempts at once of its own. */
export async function concurrencyOf(
  options: RunOptions,
  deps: RunDeps,
): Promise<Pick<QueueGuards, 'concurrency' | 'pool'>> {
  const { target, limits, longestAttempt } = options;
  const { globalConcurrency } = limits;
  const concurrency = Math.min(limits.concurrency, globalConcurrency ?? limits.concurrency);
  const isDivided =
    globalConcurrency !== undefined ||
    longestAttempt !== undefined ||
    target.fairness === true ||
    (target.lanes?.length ?? 1) > 1;
  return {
    concurrency,
    pool: isDivided ? (await limitCode()).poolOf(options, concurrency, deps) : undefined,
  };
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
): { readonly gate: Gate; readonly atOnce: AtOnce; readonly keyLimit: KeyLimit | undefined } {
  const { hold, share, budget, longAttempts } = own;
  const { concurrency, breakers, rateLimit, busyKeys } = guards;
  const keyLimit = guards.keyLimits?.of(options.target.arrivals, share);
  const all = [
    new TimeLimit(options, clock),
    hold,
    keyLimit,
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
  return { gate: new Gate(set, clock), atOnce: share ?? { fair: most, most }, keyLimit };
}
