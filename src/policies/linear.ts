import * as z from 'zod/mini';
import { fixed, type PolicyDefinition, seconds } from './policy.js';

/**
 * The same wait after every failure, with the name and the default of `LinearRetry`.
 *
 *     wait(n) = intervalSeconds        35, 35, 35, ...
 */
export const linear: PolicyDefinition<'linear', { intervalSeconds: number }> = {
  type: 'linear',
  options: z.object({ intervalSeconds: z._default(seconds, 35) }),
  wait: ({ intervalSeconds }) => fixed(intervalSeconds),
  limitingGrowth: () => 1,
};
