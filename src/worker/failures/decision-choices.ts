import * as z from 'zod/mini';
import {
  type DeadOn,
  decisionOptions,
  ERROR_NAME,
  type ErrorClass,
  isErrorName,
} from './decision-options.js';

/** Options of a handler's code about its failures, beside `retry`. */
export const decisionChoices = {
  ...decisionOptions,
  deadOn: z.optional(
    z.array(
      z.custom<DeadOn[number]>(
        (value) => isErrorName(value) || isErrorClass(value),
        `${ERROR_NAME}, or a class of errors`,
      ),
    ),
  ),
};

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === 'function' && (value === Error || value.prototype instanceof Error);
}
