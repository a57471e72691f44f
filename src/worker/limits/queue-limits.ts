import type { RunDeps } from '../deps.js';
import type { RunOptions } from '../options.js';
import { Breakers } from './breakers.js';
import { Pool, type Share } from './pool.js';
import { SharedRateLimit } from './shared-rate-limit.js';
import { RunSlots } from './slots.js';

/** What keeps the attempts of a queue in bounds, across all its runs. */
export interface QueueLimits {
  readonly rateLimit: SharedRateLimit;
  readonly breakers: Breakers;
  readonly pool: Pool;
}

/** The same for one of its lanes. */
export type LaneLimits = Omit<QueueLimits, 'pool'> & { readonly share: Share };

/** Longer than an attempt takes with its settle. */
const SPARE_SECONDS = 10;

export function queueLimitsOf(options: RunOptions, deps: RunDeps): QueueLimits {
  const { target, limits, breaker, destination, invocation } = options;
  const { queue, arrivals } = target;
  const { concurrency, globalConcurrency = concurrency } = limits;
  const slots = new RunSlots({ ...deps, ...limits, queue, invocation, onArrival: arrivals !== undefined });
  return {
    pool: new Pool({ size: Math.min(concurrency, globalConcurrency), slots, clock: deps.clock }),
    rateLimit: new SharedRateLimit({ ...deps, queue, perSecond: limits.attemptsPerSecond }),
    breakers: new Breakers({
      ...deps,
      queue,
      options: breaker,
      destinationOf: destination,
      probeSeconds: limits.attemptTimeout + SPARE_SECONDS,
      memory: deps.breakerMemory ?? new Map(),
    }),
  };
}
