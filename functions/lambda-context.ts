/**
 * What a handler uses of Lambda's context.
 */
export interface LambdaContext {
  /** Until the function is ended, in milliseconds. */
  getRemainingTimeInMillis(): number;
  /** Names the invocation in the log. */
  readonly awsRequestId?: string | undefined;
}

/** Apart from what wraps it, whose types need packages that who uses this one may not have. */
export type LambdaHandler<Result> = (event: unknown, context: LambdaContext) => Promise<Result>;
