import * as z from 'zod/mini';
import { fixed, type PolicyDefinition, subexponential, waitOption } from './policy.js';

/**
 * The same wait after every failure, with the name and the default of `LinearRetry`.
 *
 *     wait(n) = interval        35, 35, 35, ...
 */
export const linear: PolicyDefinition<'linear', { interval: number }> = {
  type: 'linear',
  options: z.object({ interval: z._default(waitOption, 35) }),
  wait: ({ interval }) => fixed(interval),
  limitingGrowth: subexponential,
};
