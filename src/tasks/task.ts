import * as z from 'zod/mini';
import { type RetryPolicy, resolvePolicy } from '../policies/index.js';
import { type BacklogRecord, DEFAULT_QUEUE, QUEUE_NAME, QUEUE_PATTERN } from '../record/index.js';
import { type Duration, duration } from '../support/duration.js';
import { ConfigurationError } from '../support/errors.js';
import { parseOptions, show } from '../support/validation.js';
import { decisionChoices } from '../worker/failures/decision-choices.js';
import type { DeadOn } from '../worker/failures/decision-options.js';
import type { AttemptContext, ProcessResult, RetryFunction } from '../worker/index.js';
import {
  isStandardSchema,
  type SchemaInput,
  type SchemaOutput,
  type StandardSchema,
} from './standard-schema.js';

/** The second argument of `perform`, beside the payload. */
export interface TaskContext extends AttemptContext {
  /** The record as it was read. Its `payload` is what was inserted, not the output of the schema. */
  readonly record: BacklogRecord;
}

/** The options of a task, beside its payload and its work. */
export interface TaskOptions<Priority extends string = string> {
  /** The name that its records have as their `task`: letters, digits and `_.:/-`, at most 128. */
  readonly name: string;
  /** The queue of its records, unless their insertion names another one. Default: `default`. */
  readonly queue?: string | undefined;
  /**
   * Names of priorities, and the queue that each of them is: `{ urgent: 'mails-urgent' }`. Such a queue has its own handler, limits and
   * alarms. Default: none.
   */
  readonly priorities?: Readonly<Record<Priority, string>> | undefined;
  /** Names of the task before it was renamed: records that still wait under them are performed as well. Default: none. */
  readonly previousNames?: readonly string[] | undefined;
  /** The policy of its records, or a function of the error and the record. Default: the handler's. */
  readonly retry?: RetryPolicy | RetryFunction | undefined;
  /** The queue into which a failure moves its records that are to be retried. Default: the handler's. */
  readonly retryQueue?: string | undefined;
  /** Errors that no retry helps against: names, or classes. Default: the handler's. */
  readonly deadOn?: DeadOn | undefined;
  /** Time of one attempt; at most the `attemptTimeout` of the queue, which determines the leases. Default: that of the queue. */
  readonly attemptTimeout?: Duration | undefined;
}

/** @inline */
type Perform<Payload> = (payload: Payload, context: TaskContext) => ProcessResult | Promise<ProcessResult>;

/** @inline */
type Key<Payload> = ((payload: Payload) => string | undefined) | undefined;

const TASK = Symbol.for('dynamo-backlog.task');

/**
 * One kind of work: what its payload looks like, how it is done, and what happens to its failures. Made by
 * `defineTask`.
 *
 * `Input` is what is inserted and stored, `Output` what the schema makes of it for `perform`.
 */
export interface Task<Input = unknown, Output = Input, Priority extends string = string>
  extends TaskOptions<Priority> {
  /** @hidden */
  readonly [TASK]: true;
  /** The queue of its records, unless their insertion says another one. */
  readonly queue: string;
  /** Time of one attempt, in seconds. */
  readonly attemptTimeout?: number | undefined;
  /**
   * Checks the payload at the insertion, and again before each attempt: a schema of any library that follows Standard Schema (zod,
   * valibot, arktype, ...). Default: none, the type parameter alone says the type of the payload.
   */
  readonly schema?: StandardSchema<Input, Output> | undefined;
  // Methods, so that tasks of any payload fit into one list.
  /** Returns the customer or tenant whose work it is, text of 1 to 256 bytes, of what is inserted; `undefined`: none. Default: none. */
  key?(payload: Input): string | undefined;
  /** Does the work of one record: `(payload, { record, signal, attempt, logger })`. The payload is what the schema makes of it. */
  perform(...given: Parameters<Perform<Output>>): ReturnType<Perform<Output>>;
  /**
   * Never there: it carries the types.
   *
   * @hidden
   */
  readonly '~types'?: { readonly input: Input; readonly output: Output } | undefined;
}

const NAME = /^[\w.:/-]{1,128}$/;
const taskName = z.string().check(z.regex(NAME, 'expected letters, digits and "_.:/-", at most 128'));
const queueName = z.string().check(z.regex(QUEUE_PATTERN, `expected the name of a queue: ${QUEUE_NAME}`));

const optionsSchema = z.strictObject({
  name: taskName,
  queue: z._default(queueName, DEFAULT_QUEUE),
  priorities: z.optional(z.record(z.string(), queueName)),
  previousNames: z.optional(z.array(taskName)),
  retry: z.optional(z.unknown()),
  ...decisionChoices,
  // A day, in a worker process; a function has no more than its timeout leaves.
  attemptTimeout: z.optional(duration({ above: 0, most: 86_400 })),
  schema: z.optional(
    z.custom<StandardSchema>(
      isStandardSchema,
      'expected a schema with "~standard" (zod, valibot, arktype, ...)',
    ),
  ),
  key: z.optional(
    z.custom<(payload: unknown) => unknown>((value) => typeof value === 'function', 'expected a function'),
  ),
  perform: z.custom<Perform<unknown>>((value) => typeof value === 'function', 'expected a function'),
});

/**
 * Defines a task. The type of its payload comes from the schema of any Standard Schema library, or from a type
 * parameter:
 *
 *     const sendMail = defineTask({ name: 'send-mail', schema: z.object({ to: z.email() }), perform: async ({ to }) => … });
 *     const resize = defineTask<{ image: string }>({ name: 'resize', perform: async ({ image }, { signal }) => … });
 *
 * @throws ConfigurationError naming the option that is invalid
 */
export function defineTask<const Schema extends StandardSchema, Priority extends string = never>(
  options: TaskOptions<Priority> & {
    readonly schema: Schema;
    readonly key?: Key<SchemaInput<Schema>>;
    readonly perform: Perform<SchemaOutput<Schema>>;
  },
): Task<SchemaInput<Schema>, SchemaOutput<Schema>, Priority>;
export function defineTask<Payload, Priority extends string = string>(
  options: TaskOptions<Priority> & {
    readonly schema?: undefined;
    readonly key?: Key<Payload>;
    readonly perform: Perform<Payload>;
  },
): Task<Payload, Payload, Priority>;
export function defineTask(
  options: TaskOptions & { readonly key?: Key<never>; readonly perform: Perform<never> },
): Task {
  const task = parseOptions(optionsSchema, options, 'defineTask');
  const name = `defineTask "${task.name}"`;
  const { retry, retryQueue, queue } = task;
  if (retry !== undefined && typeof retry !== 'function') resolvePolicy(retry, `${name}: retry`);
  if (retryQueue === queue) {
    throw new ConfigurationError(
      `${name}: retryQueue: expected another queue than the task's own, got ${show(queue)}`,
    );
  }
  return Object.freeze({ ...task, [TASK]: true }) as Task;
}

export function isTask(value: unknown): value is Task {
  return typeof value === 'object' && value !== null && TASK in value;
}
