/**
 * A role of the store whose code is loaded at its first call: what a queue does not use costs no time at a cold start. All methods
 * of such a role return promises.
 *
 * @param load the role; called again only if it fails
 */
export function whenUsed<Role extends object>(load: () => Promise<Role>): Role {
  let role: Promise<Role> | undefined;
  return new Proxy({} as Role, {
    get: (_, name) => {
      // An object with a method `then` would be taken for a promise.
      if (typeof name === 'symbol' || name === 'then') return undefined;
      return async (...args: unknown[]) => {
        role ??= load().catch((error: unknown) => {
          role = undefined;
          throw error;
        });
        const loaded = await role;
        return (Reflect.get(loaded, name) as (...args: unknown[]) => unknown).apply(loaded, args);
      };
    },
  });
}
