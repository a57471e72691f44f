import { fixed, noOptions, type PolicyDefinition, subexponential } from './policy.js';
import { powerOf } from './power-of.js';

/**
 * Waits that grow with the fifth power. r = n - 1 is the number of retries so far.
 *
 *     wait(n) = r^5 + 30                               30, 31, 62, 273, 1054, 3155 s, 2 h 10 min, ...
 */
export const power: PolicyDefinition<'power', Record<string, never>> = {
  type: 'power',
  options: noOptions,
  wait: (_, { failures }) => fixed(powerOf(failures - 1, 5) + 30),
  limitingGrowth: subexponential,
};
