/**
 * A copy that nobody can change, of what DynamoDB would keep: `undefined` is left out. Frozen values are their own
 * copies, so that reading costs nothing.
 */
export function frozenCopy<Value>(value: Value): Value {
  return copy(value) as Value;
}

const copies = new WeakSet<object>();

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || copies.has(value)) return value;
  const copied = copyObject(value);
  copies.add(copied);
  return copied;
}

function copyObject(value: object): object {
  // Binary values and sets cannot be frozen.
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof Set) {
    return structuredClone(value);
  }
  if (Array.isArray(value)) return Object.freeze(value.map(copy));
  const entries = Object.entries(value).filter(([, child]) => child !== undefined);
  return Object.freeze(Object.fromEntries(entries.map(([name, child]) => [name, copy(child)])));
}
