import type { RunOptions } from '../options.js';
import type { RunParts } from '../parts.js';
import { Breakers } from './breakers.js';
import { SharedPace } from './shared-pace.js';

/** What keeps the attempts of a queue in bounds, across all its runs. */
export interface Pressure {
  readonly pace: SharedPace;
  readonly breakers: Breakers;
}

/** Longer than an attempt takes with its settle. */
const SPARE_SECONDS = 10;

export function pressureOf(options: RunOptions, parts: RunParts): Pressure {
  const { target, limits, breaker, destination } = options;
  const { queue } = target;
  return {
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
