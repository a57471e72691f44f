import type { Invoke } from './function-host.js';

/** Delivers a batch. Returns the function's answer; rejects if the function failed. */
export type Deliver<Received> = (event: { readonly Records: readonly Received[] }) => Promise<unknown>;

/** Invokes a function with a batch, as an event source mapping does. */
export function deliverTo(functionName: string, invoke: Invoke): Deliver<object> {
  return async (event) => {
    const invocation = await invoke(functionName, event);
    if (invocation.type === 'result') return invocation.value;
    throw new Error(invocation.message);
  };
}

/** Returns the identifiers of the messages or changes that a function's answer names as failed. */
export function failuresOf(answer: unknown): ReadonlySet<unknown> {
  const { batchItemFailures } = (answer ?? {}) as { batchItemFailures?: unknown };
  if (!Array.isArray(batchItemFailures)) return new Set();
  return new Set(batchItemFailures.map((failure: { itemIdentifier?: unknown }) => failure.itemIdentifier));
}
