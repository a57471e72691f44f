import type { Item } from '../../record/index.js';
import { numberText } from '../../record/item-size.js';

/**
 * A copy that cannot be changed, of what DynamoDB would keep: `undefined` is left out. Attributes that are those of
 * the item before, a copy like this one, are not copied again.
 */
export function frozenCopy(item: Item, before: Item = {}): Item {
  return copyEntries(item, (child, name) => (child === before[name] ? child : copy(child)));
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  // Binary values and sets cannot be frozen.
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return structuredClone(value);
  if (value instanceof Set) return new Set([...value].map(copy));
  // A number is not what its fields are.
  if (numberText(value) !== undefined) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(copy));
  return copyEntries(value as Item, copy);
}

/** Copies the entries of a map. A simulation does this for every attempt: a loop is several times faster than lists. */
function copyEntries(value: Item, copyChild: (child: unknown, name: string) => unknown): Item {
  const copied: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const child = value[name];
    if (child === undefined) continue;
    if (name === '__proto__')
      Object.defineProperty(copied, name, { value: copyChild(child, name), enumerable: true });
    else copied[name] = copyChild(child, name);
  }
  return Object.freeze(copied);
}

/** A copy that can be changed, as a table gives it: it shares no object with what is stored. */
export function ownCopy<Value>(value: Value): Value {
  return copyOf(value) as Value;
}

function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || numberText(value) !== undefined) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  if (value instanceof Set) return new Set([...value].map(copyOf));
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return structuredClone(value);
  // Own properties, whatever they are called: `__proto__` is one of them.
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, copyOf(child)]));
}
