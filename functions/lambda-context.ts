/**
 * The part of Lambda's context that a handler uses.
 */
export interface LambdaContext {
  /** The time until Lambda ends the function, in milliseconds. */
  getRemainingTimeInMillis(): number;
  /** Names the invocation in the log. */
  readonly awsRequestId?: string | undefined;
  /** The ARN that the function was called by. */
  readonly invokedFunctionArn?: string | undefined;
}

/**
 * A handler of Lambda. It has a file of its own, as the types of what wraps it need packages that a user of this one
 * may not have.
 */
export type LambdaHandler<Result> = (event: unknown, context: LambdaContext) => Promise<Result>;
