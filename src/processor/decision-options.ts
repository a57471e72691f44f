import * as z from 'zod/mini';
import { QUEUE_PATTERN, WORKER_LOST } from '../record/index.js';

/** The class of an error. */
export type ErrorClass = abstract new (...args: never[]) => Error;

/** Errors that no retry helps against: their names, or those of a class that they are derived from; or the classes. */
export type DeadOn = readonly (string | ErrorClass)[];

export const retryQueueName = z
  .string()
  .check(z.regex(QUEUE_PATTERN, 'expected the name of a queue: letters, digits, "_", "." and "-"'));

/** A lost worker is no proof against a record: it may never be dead of the first one. */
const isErrorName = (value: unknown) => typeof value === 'string' && value !== '' && value !== WORKER_LOST;

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === 'function' && (value === Error || value.prototype instanceof Error);
}

/** What a queue may say about its failures beside `retry`, as plain data. */
export const decisionOptions = {
  retryQueue: z.optional(retryQueueName),
  deadOn: z.optional(
    z.array(
      z.custom<string>(
        isErrorName,
        `expected the name of an error such as "ValidationError", not "${WORKER_LOST}"`,
      ),
    ),
  ),
};

/** The same in code. */
export const decisionChoices = {
  ...decisionOptions,
  deadOn: z.optional(
    z.array(
      z.custom<string | ErrorClass>(
        (value) => isErrorName(value) || isErrorClass(value),
        `expected the name of an error such as "ValidationError", not "${WORKER_LOST}", or a class of errors`,
      ),
    ),
  ),
};
