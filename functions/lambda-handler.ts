import type { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { LambdaContext, LambdaHandler } from './lambda-context.js';

/** Wraps a handler the way that all of them are: Lambda's context in every log line, and its own end to itself. */
export function lambdaHandler<Result>(
  logger: Logger,
  handle: (event: unknown, context: LambdaContext) => Promise<Result>,
): LambdaHandler<Result> {
  // A run ends by itself before the deadline and gives its lease back: middy must not end it first.
  const wrapped = middy<unknown, Result>({ timeoutEarlyInMillis: 0 })
    .use(injectLambdaContext(logger))
    .handler(handle);
  return (event, context) => wrapped(event, context as Context);
}

/** Runs it at once, and gives its result or throws its error whenever asked. */
export function once<Result>(make: () => Result): () => Result {
  try {
    const result = make();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
