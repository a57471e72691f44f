/**
 * An object whose code is loaded at the first call of a method: what a queue does not use costs no time at a cold start. All its
 * methods return promises.
 *
 * @param load the object; called again only if it fails
 */
export function whenUsed<Used extends object>(load: () => Promise<Used>): Used {
  let loading: Promise<Used> | undefined;
  return new Proxy({} as Used, {
    get: (_, name) => {
      // An object with a method `then` would be taken for a promise.
      if (typeof name === 'symbol' || name === 'then') return undefined;
      return async (...args: unknown[]) => {
        loading ??= load().catch((error: unknown) => {
          loading = undefined;
          throw error;
        });
        const loaded = await loading;
        return (Reflect.get(loaded, name) as (...args: unknown[]) => unknown).apply(loaded, args);
      };
    },
  });
}
