/**
 * The value with a JSON merge patch applied (RFC 7396): objects are merged, `null` removes, all else replaces. What the
 * patch does not name stays as it is, sets, bytes and long numbers included.
 */
export function mergePatch(value: unknown, patch: unknown): unknown {
  if (!isPlainObject(patch)) return patch;
  const merged: Record<string, unknown> = Object.assign(
    Object.create(null),
    isPlainObject(value) ? value : {},
  );
  for (const [name, part] of Object.entries(patch)) {
    if (part === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], part);
  }
  // Of its own prototype, so that a name such as `__proto__` is no more than a name.
  return Object.fromEntries(Object.entries(merged));
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
