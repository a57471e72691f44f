/**
 * Properties that code has added to `Object.prototype` or `Array.prototype`, so that every object has them: `for ... in` finds
 * them, and so do the AWS SDK and the parsers of options. A faulty merge of a hostile payload with a key `__proto__` does it.
 */
const PROTOTYPES: readonly object[] = [Object.prototype, Array.prototype];
const MAX_NAMES = 20;

/** The properties that were there when the first run began: libraries that extend prototypes do it as they are loaded. */
let before: ReadonlySet<string> | undefined;
const removed = new Set<string>();

/** The names of what every array has, and so every object. Costs a few nanoseconds where there is nothing. */
function shared(): string[] {
  const names: string[] = [];
  for (const name in []) names.push(name);
  return names;
}

/** Notes what is there before the first attempt. */
export function watchPrototypes(): void {
  before ??= new Set(shared());
}

/**
 * Removes what was added since the first run began, so that neither the writes of other records nor later runs fail by it.
 *
 * @returns the names of what was found this time
 */
export function cleanPrototypes(): readonly string[] {
  const known = before;
  if (known === undefined) return [];
  const names = shared().filter((name) => !known.has(name));
  for (const name of names) {
    for (const prototype of PROTOTYPES) Reflect.deleteProperty(prototype, name);
    if (removed.size < MAX_NAMES) removed.add(name);
  }
  return names;
}

/** The names of all that was removed since this was asked last. */
export function takePollution(): readonly string[] {
  cleanPrototypes();
  const names = [...removed];
  removed.clear();
  return names;
}
