import * as z from 'zod/mini';
import { type PolicyDefinition, waitOption } from './policy.js';
import { powerOf } from './power-of.js';

/**
 * A random wait in a window that is multiplied at every retry (`ExponentialRetry`).
 *
 *     base^(n - 1) * interval <= wait(n) < base^n * interval
 *     with 2 and 35 s: 35-70, 70-140, 140-280, ..., 17920-35840 at the tenth
 */
export const window: PolicyDefinition<'window', { interval: number; base: number }> = {
  type: 'window',
  options: z.object({
    interval: z._default(waitOption, 35),
    base: z._default(z.number().check(z.gt(1), z.maximum(1000)), 2),
  }),
  wait: ({ interval, base }, { failures }) => {
    const least = Math.min(powerOf(base, failures - 1) * interval, Number.MAX_VALUE / base);
    return { least, most: least * base };
  },
  random: true,
};
