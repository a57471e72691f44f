import { noOptions, type PolicyDefinition } from './policy.js';
import { powerOf } from './power-of.js';

/**
 * Random waits in buckets that overlap. r = n - 1 is the number of retries so far.
 *
 *     r^3 <= wait(n) < (r + 2)^3                       0-8, 1-27, 8-64, 27-125, 64-216 s, ...
 */
export const buckets: PolicyDefinition<'buckets', Record<string, never>> = {
  type: 'buckets',
  options: noOptions,
  wait: (_, { failures }) => ({ least: powerOf(failures - 1, 3), most: powerOf(failures + 1, 3) }),
  random: true,
};
