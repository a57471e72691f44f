import type { RunOptions } from '../options.js';
import type { RunParts } from '../parts.js';
import { Breakers } from './breakers.js';
import { Pool, type Share } from './pool.js';
import { SharedPace } from './shared-pace.js';
import { RunSlots } from './slots.js';

/** What keeps the attempts of a queue in bounds, across all its runs. */
export interface Pressure {
  readonly pace: SharedPace;
  readonly breakers: Breakers;
  readonly pool: Pool;
}

/** The same for one of its lanes. */
export type LanePressure = Omit<Pressure, 'pool'> & { readonly share: Share };

/** Longer than an attempt takes with its settle. */
const SPARE_SECONDS = 10;

export function pressureOf(options: RunOptions, parts: RunParts): Pressure {
  const { target, limits, breaker, destination } = options;
  const { queue, arrivals } = target;
  const { concurrency, globalConcurrency = concurrency } = limits;
  const slots = new RunSlots({ ...parts, ...limits, queue, onArrival: arrivals !== undefined });
  return {
    pool: new Pool({ size: Math.min(concurrency, globalConcurrency), slots, clock: parts.clock }),
    pace: new SharedPace({ ...parts, queue, perSecond: limits.attemptsPerSecond }),
    breakers: new Breakers({
      ...parts,
      queue,
      options: breaker,
      destinationOf: destination,
      probeSeconds: limits.attemptTimeoutSeconds + SPARE_SECONDS,
      memory: parts.breakers ?? new Map(),
    }),
  };
}
