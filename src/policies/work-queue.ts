import * as z from 'zod/mini';
import { parseOptions } from '../support/validation.js';
import { waitOption } from './policy.js';

export const WORK_QUEUE_TYPES = ['NoRetry', 'LinearRetry', 'ExponentialRetry'] as const;

const schema = z.strictObject({
  type: z.enum(WORK_QUEUE_TYPES),
  MaxRetries: z._default(z.int().check(z.minimum(0)), 3),
  RetryIntervalSeconds: z._default(waitOption, 35),
  ExponentialRetryBase: z._default(z.number().check(z.gt(1), z.maximum(1000)), 2),
});

/**
 * Other retry types in this library's words: NoRetry is `none`, LinearRetry `linear`, and
 * ExponentialRetry `window`. MaxRetries counts the attempts after the first.
 *
 * @throws ConfigurationError for an unknown key, or a value out of range
 */
export function fromWorkQueue(policy: unknown, name: string): Record<string, unknown> {
  const {
    type,
    MaxRetries,
    RetryIntervalSeconds: interval,
    ExponentialRetryBase: base,
  } = parseOptions(schema, policy, name);
  const maxAttempts = MaxRetries + 1;
  if (type === 'NoRetry') return { type: 'none' };
  if (type === 'LinearRetry') return { type: 'linear', interval, maxAttempts, jitter: 'none' };
  return { type: 'window', interval, base, maxAttempts };
}
