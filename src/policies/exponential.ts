import * as z from 'zod/mini';
import { duration } from '../support/duration.js';
import { fixed, type PolicyDefinition, waitOption } from './policy.js';
import { powerOf } from './power-of.js';

interface ExponentialOptions {
  min: number;
  base: number;
  unit: number;
}

/**
 * Waits that are multiplied at every retry. r = n - 1 is the number of retries so far.
 *
 *     wait(n) = min + base^r * unit      with 180, 2 and 60 s: 4, 5, 7, 11, 19, 35, 67, ... minutes
 *     total after n failures                           n * min + unit * (base^n - 1) / (base - 1)
 */
export const exponential: PolicyDefinition<'exponential', ExponentialOptions> = {
  type: 'exponential',
  options: z.object({
    min: z._default(duration(), 180),
    base: z._default(z.number().check(z.minimum(1), z.maximum(1000)), 2),
    unit: z._default(waitOption, 60),
  }),
  wait: ({ min, base, unit }, { failures }) => ({
    ...fixed(min + powerOf(base, failures - 1) * unit),
    minimum: min,
  }),
  limitingGrowth: ({ base }) => base,
};
