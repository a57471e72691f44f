import { InvalidRecordError } from '../support/errors.js';

/** Levels of a document that DynamoDB takes: the innermost scalar counts as one. */
export const MAX_DEPTH = 32;

/** The error for a payload that DynamoDB could not hold. */
export function tooDeep(): InvalidRecordError {
  return new InvalidRecordError(`payload is nested deeper than ${MAX_DEPTH} levels, or holds itself`);
}
