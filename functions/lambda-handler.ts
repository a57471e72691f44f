import type { Logger } from '@aws-lambda-powertools/logger';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { LambdaContext, LambdaHandler } from './lambda-context.js';

/** Wraps a handler the way that all of them are: the invocation in every log line, and its own end to itself. */
export function lambdaHandler<Result>(
  logger: Logger,
  handle: (event: unknown, context: LambdaContext) => Promise<Result>,
): LambdaHandler<Result> {
  // A run ends by itself before the deadline and gives its lease back: middy must not end it first.
  const wrapped = middy<unknown, Result>({ timeoutEarlyInMillis: 0 })
    .use({ before: ({ context }) => nameInvocation(logger, context) })
    .handler(handle);
  return (event, context) => wrapped(event, context as Context);
}

/**
 * In place of Powertools' middleware, which adds the function's name, its ARN and its memory to every line: 250 bytes
 * that the log group tells as well. A logger of the user's own need not have these methods.
 */
function nameInvocation(logger: Partial<Logger>, { awsRequestId }: LambdaContext): void {
  logger.refreshSampleRateCalculation?.();
  logger.appendKeys?.({ function_request_id: awsRequestId });
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
