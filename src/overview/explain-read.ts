import { shortened } from '../support/shortened.js';

/** Explains in one line why the tables could not be read. */
export function explainRead(error: unknown): string {
  // The store's message names the table; DynamoDB's does not.
  if (error instanceof Error && deepest(error).name === 'ResourceNotFoundException')
    return shortened(error.message, 300);
  const { name, message } =
    error instanceof Error ? deepest(error) : { name: 'Error', message: String(error) };
  return shortened(name === 'Error' ? message : `${name}: ${message}`, 300);
}

function deepest(error: Error): Error {
  return error.cause instanceof Error ? deepest(error.cause) : error;
}
