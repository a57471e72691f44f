import * as z from 'zod/mini';
import { QUEUE_NAME, QUEUE_PATTERN, WORKER_LOST } from '../../record/index.js';

/**
 * The class of an error.
 *
 * @inline
 */
export type ErrorClass = abstract new (...args: never[]) => Error;

/**
 * Errors that no retry helps against: their names, or those of a class that they are derived from; or the classes.
 *
 * @inline
 */
export type DeadOn = readonly (string | ErrorClass)[];

export const retryQueueName = z
  .string()
  .check(z.regex(QUEUE_PATTERN, `expected the name of a queue: ${QUEUE_NAME}`));

/** A lost worker does not prove that the record caused it, so `deadOn` may not make a record dead at its first loss. */
export function isErrorName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value !== WORKER_LOST;
}
export const ERROR_NAME = `expected the name of an error such as "ValidationError", not "${WORKER_LOST}"`;

/** Options of a queue about its failures, beside `retry`, as plain data. */
export const decisionOptions = {
  retryQueue: z.optional(retryQueueName),
  deadOn: z.optional(z.array(z.custom<string>(isErrorName, ERROR_NAME))),
};
