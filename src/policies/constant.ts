import * as z from 'zod/mini';
import { fixed, type PolicyDefinition, subexponential, waitOption } from './policy.js';

/**
 * The same wait after every failure.
 *
 *     wait(n) = interval        300, 300, 300, ...
 *     total after n failures           n * interval
 */
export const constant: PolicyDefinition<'constant', { interval: number }> = {
  type: 'constant',
  options: z.object({ interval: z._default(waitOption, 300) }),
  wait: ({ interval }) => fixed(interval),
  limitingGrowth: subexponential,
};
