import type { Logger } from '@aws-lambda-powertools/logger';
import middy from '@middy/core';
import type { HandlerMiddleware } from './backlog-lambda-handler.js';
import type { LambdaContext, LambdaHandler } from './lambda-context.js';

/** A handler of middy; its log lines name the invocation. */
export function lambdaHandler<Result>(
  logger: Logger | ((context: LambdaContext) => Logger),
  handle: LambdaHandler<Result>,
  middlewares: readonly HandlerMiddleware[] = [],
): LambdaHandler<Result> {
  // A run ends by itself before the deadline and gives its lease back: middy must not end it first.
  const handler = middy<unknown, Result>({ timeoutEarlyInMillis: 0 })
    .use([logKeys(logger), ...middlewares])
    .handler(handle);
  return handler as unknown as LambdaHandler<Result>;
}

/**
 * Names the invocation in every line of the log. In place of Powertools' middleware, which adds the function's name, its ARN
 * and its memory as well: 250 bytes that the log group tells. A logger of the user's own need not have these methods.
 */
function logKeys(logger: Logger | ((context: LambdaContext) => Logger)) {
  return {
    before: ({ context }: { readonly context: LambdaContext }): void => {
      const own: Partial<Logger> = typeof logger === 'function' ? logger(context) : logger;
      own.refreshSampleRateCalculation?.();
      own.appendKeys?.({ function_request_id: context.awsRequestId });
    },
  };
}

/** Logs what a function fails with. */
export function logFailure(logger: Logger, message: string): HandlerMiddleware {
  return {
    onError: ({ error }): void => {
      logger.error(message, error as Error);
    },
  };
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
