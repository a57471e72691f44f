import * as z from 'zod/mini';
import { duration } from '../support/duration.js';
import { parseOptions } from '../support/validation.js';
import { MAX_WAIT_SECONDS } from './policy.js';
import type { ResolvedPolicy } from './resolved-policy.js';
import type { RetryLimits } from './retry-policy.js';

export const limitOptions = {
  /** Attempts in all, the first one included (`MaxRetries` + 1). Default: no limit. */
  maxAttempts: z.optional(z.int().check(z.minimum(1))),
  /** Age past which the record is dead (`expired`). Default: 360 days. */
  maxAge: z.optional(duration({ above: 0, most: 100 * MAX_WAIT_SECONDS })),
};
const schema = z.strictObject(limitOptions);
export type ParsedLimits = z.output<typeof schema>;

/** Limits and nothing else, in place of a policy: they hold under the policy that would be taken without them. */
export function isLimitsOnly(value: unknown): value is RetryLimits {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const names = Object.keys(value);
  return names.length > 0 && names.every((name) => Object.hasOwn(limitOptions, name));
}

/** @throws ConfigurationError for a value out of range */
export function parseLimits(limits: unknown, name = 'retry'): ParsedLimits {
  return parseOptions(schema, limits, name);
}

export function limited(policy: ResolvedPolicy, limits: ParsedLimits | undefined): ResolvedPolicy {
  if (!limits) return policy;
  const { maxAttempts = policy.maxAttempts, maxAge = policy.maxAge } = limits;
  return { ...policy, maxAttempts, maxAge };
}
