import * as z from 'zod/mini';
import type { RetryLimits, RetryPolicy } from '../policies/index.js';
import { isKey, KEY_FORM } from '../record/index.js';
import { type Duration, parseDuration } from '../support/duration.js';
import { ConfigurationError, InvalidRecordError } from '../support/errors.js';
import { parseOptions, show } from '../support/validation.js';
import { asStored, checkPayload, type Task } from '../tasks/index.js';
import { availableAtOf, type Delay } from './delay.js';
import type { NewRecord } from './new-record.js';
import { uniqueId } from './unique-id.js';

/** The options at the insertion of a task's record. */
export interface TaskInsertOptions<Input = unknown, Priority extends string = string> extends Delay {
  /** The queue of the record. Default: the task's. */
  readonly queue?: string | undefined;
  /** One of the task's `priorities`, in place of `queue`. Default: none. */
  readonly priority?: Priority | undefined;
  /** The id of the record. Default: a random UUID, or what `uniqueFor` makes of the payload. */
  readonly id?: string | undefined;
  /** The customer or tenant whose work it is: text of 1 to 256 bytes. Default: what the task's `key` says. */
  readonly key?: string | undefined;
  /** A policy, which comes before the task's and the queue's; or limits alone. Default: the task's. */
  readonly retry?: RetryPolicy | RetryLimits | undefined;
  /** Attempts of this record in all, under whatever policy; beside `retry`, a part of that policy. Default: the policy's. */
  readonly maxAttempts?: number | undefined;
  /**
   * Period in which the same payload, task and queue is inserted once: another insertion is a duplicate.
   *
   * Periods are counted from 1970 in UTC, by the time of the first attempt. Default: none.
   */
  readonly uniqueFor?: Duration | undefined;
  /** Returns the part of the payload that tells one record from another, for `uniqueFor`. Default: all of it. */
  readonly uniqueBy?: ((payload: Input) => unknown) | undefined;
  /** The trace that the record belongs to: a header `traceparent` of W3C Trace Context. Default: none. */
  readonly traceparent?: string | undefined;
  /** Attributes of your own, stored beside the payload. Default: none. */
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
  /** The time at which the work arose, if that was earlier. Default: now. */
  readonly insertedAt?: Date | string | undefined;
}

/** A record that is about to be inserted. */
export interface Prepared {
  readonly record: NewRecord;
  /** The time before which it is not attempted, epoch milliseconds; undefined: none. */
  readonly availableAt: number | undefined;
}

const given = z.optional(z.unknown());
const optionsSchema = z.strictObject({
  delay: given,
  at: given,
  queue: given,
  priority: given,
  id: given,
  key: given,
  retry: given,
  maxAttempts: z.optional(z.int().check(z.minimum(1))),
  uniqueFor: given,
  uniqueBy: z.optional(
    z.custom<(payload: never) => unknown>((value) => typeof value === 'function', 'expected a function'),
  ),
  traceparent: given,
  attributes: given,
  insertedAt: given,
});

/**
 * Prepares the record of a task.
 *
 * @throws ConfigurationError for invalid options, InvalidRecordError for a payload that its schema refuses
 */
export async function prepare(
  task: Task,
  payload: unknown,
  options: TaskInsertOptions<never>,
  now: number,
): Promise<Prepared> {
  parseOptions(optionsSchema, options, 'insert');
  const { id, traceparent, attributes, insertedAt } = options;
  if (payload === undefined)
    throw new InvalidRecordError(`task "${task.name}": payload: expected a value, got nothing`);
  const queue = queueOf(task, options);
  const availableAt = availableAtOf(options, now);
  const unique = uniquenessOf(options);
  await refuseInvalid(task, payload);
  const record = {
    key: options.key === undefined ? keyFor(task, payload) : options.key,
    id: unique
      ? uniqueId({
          task: task.name,
          queue,
          by: partOf(payload, unique.by),
          periodSeconds: unique.periodSeconds,
          at: availableAt ?? now,
        })
      : id,
    payload,
    queue,
    task: task.name,
    retry: retryOf(options),
    traceparent,
    attributes,
    insertedAt,
  };
  return { record, availableAt };
}

/** @throws ConfigurationError for options that are invalid for any record of the task */
export function checkOptions(task: Task, options: TaskInsertOptions<never>, now: number): void {
  parseOptions(optionsSchema, options, 'insertMany');
  queueOf(task, options);
  availableAtOf(options, now);
  // What tells one record from another may be said by each, or the period for all.
  uniquenessOf({ ...options, uniqueBy: undefined });
}

function queueOf(task: Task, { queue, priority }: TaskInsertOptions<never>): string {
  if (priority === undefined) return queue ?? task.queue;
  if (queue !== undefined) {
    throw new ConfigurationError('insert: expected either queue or priority, got both');
  }
  const { priorities = {} } = task;
  const chosen = Object.hasOwn(priorities, priority) ? priorities[priority] : undefined;
  if (chosen !== undefined) return chosen;
  const known = Object.keys(priorities).map(show).join(', ');
  const expected = known ? `expected one of ${known}` : 'expected nothing, as the task has no priorities';
  throw new ConfigurationError(`insert.priority: ${expected}, got ${show(priority)}`);
}

function uniquenessOf({ id, uniqueFor, uniqueBy: by }: TaskInsertOptions<never>) {
  if (uniqueFor === undefined) {
    if (by) throw new ConfigurationError('insert.uniqueBy: expected uniqueFor beside it, got nothing');
    return undefined;
  }
  if (id !== undefined) throw new ConfigurationError('insert: expected either id or uniqueFor, got both');
  const periodSeconds = parseDuration(uniqueFor, 'insert.uniqueFor');
  if (periodSeconds >= 1) return { by, periodSeconds };
  throw new ConfigurationError(`insert.uniqueFor: expected 1 second or more, got ${show(uniqueFor)}`);
}

function partOf(payload: unknown, by: ((payload: never) => unknown) | undefined): unknown {
  try {
    return by ? by(payload as never) : payload;
  } catch (error) {
    throw new InvalidRecordError('insert.uniqueBy threw', { cause: error });
  }
}

/** The key that the task names for a payload. Undefined: none. */
function keyFor(task: Task, payload: unknown): string | undefined {
  if (task.key === undefined) return undefined;
  let key: unknown;
  try {
    key = task.key(payload);
  } catch (error) {
    throw new InvalidRecordError(`task "${task.name}": key threw ${nameOf(error)}`, { cause: error });
  }
  if (key === undefined || isKey(key)) return key;
  throw new InvalidRecordError(`task "${task.name}": key: expected ${KEY_FORM}, got ${show(key)}`);
}

function nameOf(error: unknown): string {
  return (error as Error | undefined)?.name ?? 'a value that is no error';
}

/** A policy with a limit of its own, or the limit alone, which holds under whatever policy there is. */
function retryOf({ retry, maxAttempts }: TaskInsertOptions<never>): RetryPolicy | RetryLimits | undefined {
  if (maxAttempts === undefined) return retry;
  return { ...(retry as RetryPolicy | undefined), maxAttempts } as RetryPolicy | RetryLimits;
}

/** Checks the payload as the handler will read it: DynamoDB may change a value so that the schema refuses it. */
async function refuseInvalid({ name, schema }: Task, payload: unknown): Promise<void> {
  if (!schema) return;
  const stored = asStored(payload);
  let checked: Awaited<ReturnType<typeof checkPayload>>;
  try {
    checked = await checkPayload(schema, stored);
  } catch (error) {
    throw new InvalidRecordError(`task "${name}": its schema threw ${nameOf(error)}`, { cause: error });
  }
  if ('problem' in checked) {
    throw new InvalidRecordError(`task "${name}": invalid payload: ${checked.problem}`);
  }
}
