import * as z from 'zod/mini';
import { fixed, type PolicyDefinition, seconds } from './policy.js';
import { powerOf } from './power-of.js';

interface ExponentialOptions {
  minSeconds: number;
  base: number;
  unitSeconds: number;
}

/**
 * Waits that are multiplied at every retry. r = n - 1 is the number of retries so far.
 *
 *     wait(n) = minSeconds + base^r * unitSeconds      with 180, 2 and 60 s: 4, 5, 7, 11, 19, 35, 67, ... minutes
 *     total after n failures                           n * minSeconds + unitSeconds * (base^n - 1) / (base - 1)
 */
export const exponential: PolicyDefinition<'exponential', ExponentialOptions> = {
  type: 'exponential',
  options: z.object({
    minSeconds: z._default(z.number().check(z.minimum(0)), 180),
    base: z._default(z.number().check(z.minimum(1), z.maximum(1000)), 2),
    unitSeconds: z._default(seconds, 60),
  }),
  wait: ({ minSeconds, base, unitSeconds }, { failures }) =>
    fixed(minSeconds + powerOf(base, failures - 1) * unitSeconds),
  limitingGrowth: ({ base }) => base,
};
