import * as z from 'zod/mini';
import { MAX_WAIT_SECONDS, type RetryPolicy, resolvePolicy } from '../policies/index.js';
import type { Item } from '../record/index.js';
import { isPauseText, MAX_PAUSE_TEXT } from '../store/pause-text.js';
import { duration } from '../support/duration.js';
import type { OperationProgress } from './result.js';
import { isPlainObject, queueName } from './selection.js';

/** The options of every action, to be spread into its own. */
const operationShape = {
  dryRun: z.optional(z.boolean()),
  perSecond: z.optional(z.number().check(z.positive(), z.maximum(100_000))),
  limit: z.optional(z.int().check(z.minimum(1))),
  concurrency: z.optional(z.int().check(z.minimum(1), z.maximum(1000))),
  onProgress: z.optional(
    z.custom<(progress: OperationProgress) => void>(
      (value) => typeof value === 'function',
      'expected a function',
    ),
  ),
  onTrouble: z.optional(
    z.custom<(message: string) => void>((value) => typeof value === 'function', 'expected a function'),
  ),
  signal: z.optional(
    z.custom<AbortSignal>((value) => value instanceof AbortSignal, 'expected an AbortSignal'),
  ),
  expected: z.optional(z.custom<Item>(isPlainObject, 'expected attributes of the record, such as { rev }')),
};

const policy = z.optional(z.unknown());

export const operationSchema = z.strictObject(operationShape);
export const redriveSchema = z.strictObject({
  ...operationShape,
  queue: z.optional(queueName),
  retry: policy,
});
export const discardSchema = z.strictObject({
  ...operationShape,
  reason: z.optional(z.string().check(z.minLength(1))),
  retention: z._default(duration({}, 'forever'), 30 * 86_400),
  delete: z._default(z.boolean(), false),
});
export const snoozeSchema = z.strictObject({
  ...operationShape,
  delay: z.optional(z.unknown()),
  at: z.optional(z.unknown()),
});
export const moveSchema = z.strictObject({ ...operationShape, queue: queueName });
export const editSchema = z.strictObject({
  ...operationShape,
  payload: z.optional(z.unknown()),
  merge: z.optional(z.unknown()),
  redrive: z._default(z.boolean(), false),
});
export const changePolicySchema = z.strictObject({ ...operationShape, retry: policy });
export const recordId = z.string().check(z.minLength(1));
const token = z.optional(z.string().check(z.minLength(1)));
export const completeSchema = z.strictObject({ token, result: z.optional(z.unknown()) });
export const failSchema = z.strictObject({
  token,
  error: z.custom<unknown>(
    (error) => error !== undefined && error !== '',
    'expected an error, or its message',
  ),
});
export const heartbeatSchema = z.strictObject({
  token,
  timeout: z.optional(duration({ above: 0, most: MAX_WAIT_SECONDS })),
});
const pauseText = z.optional(
  z.custom<string>(isPauseText, `expected a text of up to ${MAX_PAUSE_TEXT} characters on one line`),
);
export const pauseSchema = z.strictObject({
  until: z.optional(z.unknown()),
  reason: pauseText,
  by: pauseText,
});
export const statsSchema = z.strictObject({
  queues: z.optional(z.array(queueName)),
  alsoQueues: z.optional(z.array(queueName)),
  signal: operationShape.signal,
});
export const exportSchema = z.strictObject({
  limit: operationShape.limit,
  onTrouble: operationShape.onTrouble,
  signal: operationShape.signal,
});

/** A policy that makes sense; `null` for none. */
export function parsePolicy(value: unknown, name: string): RetryPolicy | null | undefined {
  if (value === undefined || value === null) return value;
  resolvePolicy(value, name);
  return value as RetryPolicy;
}
