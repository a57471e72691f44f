import * as z from 'zod/mini';
import { fixed, type PolicyDefinition, seconds } from './policy.js';
import { powerOf } from './power-of.js';

/**
 * Short at first, then close to a day for ever.
 *
 *     wait(n) = maxSeconds * 2/pi * atan(n^3 / 15)     1.017, 7.49, 16.25, 20.48, 22.18, ... towards 24 hours
 *
 */
export const arctan: PolicyDefinition<'arctan', { maxSeconds: number }> = {
  type: 'arctan',
  options: z.object({ maxSeconds: z._default(seconds, 86_400) }),
  wait: ({ maxSeconds }, { failures }) =>
    fixed(maxSeconds * (2 / Math.PI) * Math.atan(powerOf(failures, 3) / 15), maxSeconds),
  limitingGrowth: () => 1,
  phased: true,
};
