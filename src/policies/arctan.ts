import * as z from 'zod/mini';
import { fixed, type PolicyDefinition, subexponential, waitOption } from './policy.js';
import { powerOf } from './power-of.js';

/**
 * Short at first, then close to a day for ever.
 *
 *     wait(n) = max * 2/pi * atan(n^3 / 15)     1.017, 7.49, 16.25, 20.48, 22.18, ... towards 24 hours
 *
 */
export const arctan: PolicyDefinition<'arctan', { max: number }> = {
  type: 'arctan',
  options: z.object({ max: z._default(waitOption, 86_400) }),
  wait: ({ max }, { failures }) => fixed(max * (2 / Math.PI) * Math.atan(powerOf(failures, 3) / 15), max),
  limitingGrowth: subexponential,
  phased: true,
};
