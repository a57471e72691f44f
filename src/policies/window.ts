import * as z from 'zod/mini';
import { type PolicyDefinition, seconds } from './policy.js';
import { powerOf } from './power-of.js';

/**
 * A random wait in a window that is multiplied at every retry (`ExponentialRetry`).
 *
 *     base^(n - 1) * intervalSeconds <= wait(n) < base^n * intervalSeconds
 *     with 2 and 35 s: 35-70, 70-140, 140-280, ..., 17920-35840 at the tenth
 */
export const window: PolicyDefinition<'window', { intervalSeconds: number; base: number }> = {
  type: 'window',
  options: z.object({
    intervalSeconds: z._default(seconds, 35),
    base: z._default(z.number().check(z.gt(1), z.maximum(1000)), 2),
  }),
  wait: ({ intervalSeconds, base }, { failures }) => {
    const least = Math.min(powerOf(base, failures - 1) * intervalSeconds, Number.MAX_VALUE / base);
    return { least, most: least * base };
  },
  limitingGrowth: () => undefined,
  random: true,
};
