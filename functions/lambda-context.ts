/** What a handler uses of Lambda's context. */
export interface LambdaContext {
  getRemainingTimeInMillis(): number;
  readonly awsRequestId?: string | undefined;
}

/** Apart from what wraps it, whose types need packages that who uses this one may not have. */
export type LambdaHandler<Result> = (event: unknown, context: LambdaContext) => Promise<Result>;
