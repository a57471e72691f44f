import * as z from 'zod';
import type { PolicyDefinition } from './policy.js';

/** Never again: a record is dead at its first failure (seed 002's NoRetry). */
export const none: PolicyDefinition<'none', Record<string, never>> = {
  type: 'none',
  options: z.object({}) as z.ZodType<Record<string, never>>,
  baseWaitSeconds: () => undefined,
  maxAttempts: 1,
  limitingGrowth: undefined,
};
