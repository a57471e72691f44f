import { isPlainObject } from './selection.js';

/**
 * A payload with a merge patch applied, or the reason why it cannot be.
 *
 * @inline
 */
export type Merged =
  | {
      /** The new payload. */
      readonly payload: unknown;
    }
  | {
      /** The reason, for a message. */
      readonly refused: string;
    };

/**
 * A payload with a JSON merge patch applied (RFC 7396): objects are merged, `null` removes, all else replaces. What the
 * patch does not name stays as it is, sets, bytes and long numbers included.
 *
 * Of a payload that is no object nothing would stay, so it is refused: that is a replacement, and mostly a mistake.
 *
 * @param patch an object
 */
export function mergeInto(payload: unknown, patch: Readonly<Record<string, unknown>>): Merged {
  if (isPlainObject(payload)) return { payload: merged(payload, patch) };
  return { refused: `its payload is ${kindOf(payload)}: a merge patch needs an object` };
}

function merged(value: unknown, patch: unknown): unknown {
  if (!isPlainObject(patch)) return patch;
  const result: Record<string, unknown> = Object.assign(
    Object.create(null),
    isPlainObject(value) ? value : {},
  );
  for (const [name, part] of Object.entries(patch)) {
    if (part === null) delete result[name];
    else result[name] = merged(result[name], part);
  }
  // Of its own prototype, so that a name such as `__proto__` is no more than a name.
  return Object.fromEntries(Object.entries(result));
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'no object of names and values' : `a ${typeof value}`;
}
