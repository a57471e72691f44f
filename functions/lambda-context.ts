/**
 * The part of Lambda's context that a handler uses.
 */
export interface LambdaContext {
  /** Until the function is ended, in milliseconds. */
  getRemainingTimeInMillis(): number;
  /** Names the invocation in the log. */
  readonly awsRequestId?: string | undefined;
  /** The ARN that the function was called by. */
  readonly invokedFunctionArn?: string | undefined;
}

/** Its own file: the types of what wraps it need packages that a user of this one may not have. */
export type LambdaHandler<Result> = (event: unknown, context: LambdaContext) => Promise<Result>;
