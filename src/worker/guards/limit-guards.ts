import { PAGE_SECONDS } from '../../leases/timed-hold.js';
import { ConfigurationError } from '../../support/errors.js';
import type { RunningAttempt } from '../attempt.js';
import { cancelWatch } from '../cancel-watch.js';
import { SHORT_SECONDS } from '../capacity.js';
import type { RunDeps } from '../deps.js';
import type { DestinationName } from '../destinations.js';
import type { RunOptions } from '../options.js';
import { Breakers } from './breakers.js';
import { BusyKeys } from './busy-keys.js';
import { KeyLimits } from './key-limit.js';
import { Pool } from './pool.js';
import { RateLimit } from './rate-limit.js';
import { RunSlots } from './slots.js';
import { latestStartOf } from './time-limit.js';

/** Longer than a write takes, as a rule. */
const SPARE_SECONDS = 10;

/** The guards of options that few queues set, for one run. Undefined: the option is not set. */
export interface LimitGuards {
  readonly rateLimit: RateLimit | undefined;
  readonly breakers: Breakers | undefined;
  /** The keys that have lanes of their own, of a queue that is fair between keys. */
  readonly busyKeys: BusyKeys | undefined;
  /** The limits for the attempts of each key. */
  readonly keyLimits: KeyLimits | undefined;
  /** Called with each attempt as it begins. Undefined: attempts are too short to hear that their record is cancelled. */
  readonly watchAttempt: ((attempt: RunningAttempt) => void) | undefined;
}

/**
 * Makes the guards of the options that are set.
 *
 * @throws ConfigurationError for slots of attempts that go on without their run
 */
export function limitGuardsOf(
  options: RunOptions,
  concurrency: number,
  destination: DestinationName | undefined,
  deps: RunDeps,
): LimitGuards {
  const { target, limits, breaker, stop, invocation } = options;
  const { attemptsPerSecond: perSecond, attemptTimeout, concurrencyPerKey, attemptsPerSecondPerKey } = limits;
  const latestStart = latestStartOf(options);
  refuseBesideLongAttempts('concurrencyPerKey', options);
  const { fairness, queue, shards } = target;
  const { breakerMemory: memory = new Map(), keyMemory = new Map() } = deps;
  // A probe's permit may come behind those of all attempts at once of this run.
  const permitSeconds = perSecond === undefined ? 0 : concurrency / perSecond;
  const probe = { beginsWithin: SPARE_SECONDS + permitSeconds, endsWithin: attemptTimeout };
  const busyKeys = fairness
    ? new BusyKeys({ ...deps, queue, shards, concurrency, memory: keyMemory })
    : undefined;
  return {
    busyKeys,
    // An attempt that goes on without its run hears it by the renewal of its hold.
    watchAttempt:
      attemptTimeout > SHORT_SECONDS && options.longestAttempt === undefined ? cancelWatch(deps) : undefined,
    keyLimits:
      concurrencyPerKey === undefined && attemptsPerSecondPerKey === undefined
        ? undefined
        : new KeyLimits({
            ...deps,
            ...{ concurrencyPerKey, attemptsPerSecondPerKey, attemptTimeout },
            ...{ queue, invocation, busyKeys, latestStart, stop },
          }),
    rateLimit:
      perSecond === undefined ? undefined : new RateLimit({ ...deps, queue, perSecond, latestStart, stop }),
    breakers: breaker && new Breakers({ ...deps, queue, options: breaker, destination, probe, memory }),
  };
}

/**
 * The attempts at once of a run that divides them, among its lanes or with other runs.
 *
 * @throws ConfigurationError as `limitGuardsOf`
 */
export function poolOf(options: RunOptions, size: number, deps: RunDeps): Pool {
  // The names of parameters are in the declarations, which leave out what is internal.
  const { target, limits, invocation } = options;
  const { queue, arrivals } = target;
  const { globalConcurrency } = limits;
  const onArrival = arrivals !== undefined;
  refuseBesideLongAttempts('globalConcurrency', options);
  const slots =
    globalConcurrency === undefined
      ? undefined
      : new RunSlots({ ...deps, ...limits, globalConcurrency, queue, invocation, onArrival });
  return new Pool({ size, slots, clock: deps.clock });
}

/** Slots are renewed with the lease of a run, and an attempt that takes longer goes on without it. */
function refuseBesideLongAttempts(
  name: 'globalConcurrency' | 'concurrencyPerKey',
  { limits, target, longestAttempt }: RunOptions,
): void {
  const { [name]: limit } = limits;
  if (limit === undefined || longestAttempt === undefined) return;
  throw new ConfigurationError(
    `${name}: expected nothing where an attempt may take more than ${PAGE_SECONDS} s (queue ` +
      `"${target.queue}", attemptTimeout ${longestAttempt}), got ${limit}: concurrency limits each worker`,
  );
}
