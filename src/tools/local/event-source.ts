import type { Invoke } from './function-host.js';

/** Hands a batch over. The function's answer; it rejects if the function failed. */
export type Deliver<Received> = (event: { readonly Records: readonly Received[] }) => Promise<unknown>;

/** As an event source mapping starts a function. */
export function handOverTo(functionName: string, invoke: Invoke): Deliver<object> {
  return async (event) => {
    const invocation = await invoke(functionName, event);
    if (invocation.type === 'result') return invocation.value;
    throw new Error(invocation.message);
  };
}

/** What of a batch a function's answer names as failed, by its identifiers. */
export function failuresOf(answer: unknown): ReadonlySet<unknown> {
  const { batchItemFailures } = (answer ?? {}) as { batchItemFailures?: unknown };
  if (!Array.isArray(batchItemFailures)) return new Set();
  return new Set(batchItemFailures.map((failure: { itemIdentifier?: unknown }) => failure.itemIdentifier));
}
