import * as z from 'zod/mini';
import { fixed, type PolicyDefinition, seconds } from './policy.js';

/**
 * The same wait after every failure.
 *
 *     wait(n) = intervalSeconds        300, 300, 300, ...
 *     total after n failures           n * intervalSeconds
 */
export const constant: PolicyDefinition<'constant', { intervalSeconds: number }> = {
  type: 'constant',
  options: z.object({ intervalSeconds: z._default(seconds, 300) }),
  wait: ({ intervalSeconds }) => fixed(intervalSeconds),
  limitingGrowth: () => 1,
};
