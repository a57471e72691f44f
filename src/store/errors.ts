/** An error of the store. The AWS error, if there was one, is the `cause`. */
export class StoreError extends Error {
  /** The name of the class, such as `StoreThrottledError`. */
  override readonly name: string = 'StoreError';
}

/** DynamoDB refused for its limits, after the SDK's own retries: back off. */
export class StoreThrottledError extends StoreError {
  /** Always `StoreThrottledError`. */
  override readonly name = 'StoreThrottledError';
}

/** No answer, or a failure of the server: the write may or may not have taken effect. */
export class StoreUnavailableError extends StoreError {
  /** Always `StoreUnavailableError`. */
  override readonly name = 'StoreUnavailableError';
}

/** A table or its index does not exist, or may not be used: no retry will help. */
export class StoreAccessError extends StoreError {
  /** Always `StoreAccessError`. */
  override readonly name = 'StoreAccessError';
}

/** Tells whether the store refuses this very request. It answers and may be used: another record's may go through. */
export function isOfOneRecord(error: unknown): boolean {
  return error instanceof StoreError && !isOfStore(error);
}

/** Tells whether the store does not answer, or may not be used, whatever is asked of it now. */
export function isOfStore(error: unknown): error is StoreError {
  return (
    error instanceof StoreThrottledError ||
    error instanceof StoreUnavailableError ||
    error instanceof StoreAccessError
  );
}
