import { StoreError } from '../store/errors.js';
import type { OperationResult } from './counters.js';

/**
 * The store could not be reached, or used, any more. `result` is what was done by then; the same call goes on with
 * what is left.
 */
export class OperationInterruptedError extends StoreError {
  /** Always `OperationInterruptedError`. */
  override readonly name = 'OperationInterruptedError';
  constructor(
    /** What was done by then. */
    readonly result: OperationResult,
    options: { readonly cause: unknown },
  ) {
    const reason = options.cause instanceof Error ? options.cause.message : String(options.cause);
    super(`stopped with ${result.changed} changed: ${reason}`, options);
  }
}
