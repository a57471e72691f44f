import { noOptions, type PolicyDefinition } from './policy.js';
import { powerOf } from './power-of.js';

/**
 * Sidekiq's formula. r = n - 1 is the number of retries so far.
 *
 *     wait(n) = r^4 + 15 + random * 30 * (r + 1)       15-45, 16-76, 31-121, 96-216, 271-421 s, ...
 */
export const sidekiq: PolicyDefinition<'sidekiq', Record<string, never>> = {
  type: 'sidekiq',
  options: noOptions,
  wait: (_, { failures }) => {
    const least = powerOf(failures - 1, 4) + 15;
    return { least, most: least + 30 * failures };
  },
  random: true,
};
