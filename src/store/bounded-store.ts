import type { Clock } from '../support/clock.js';
import { StoreUnavailableError } from './errors.js';
import type { BacklogStore } from './store.js';

/** Time before the function's deadline at which calls without an answer are given up. */
const LAST_CALL_MS = 1_000;

/**
 * The store, without calls that outlive the function. An SDK that repeats a request without an answer could take longer
 * than the time that is left, and a run must end by itself.
 *
 * A call that is given up throws StoreUnavailableError; it may still take effect.
 */
export function boundedStore(store: BacklogStore, clock: Clock, deadline: number): BacklogStore {
  return intercepted(store, async (name, call) => {
    const answered = new AbortController();
    const answer = call().finally(() => answered.abort('answered'));
    const leftMs = Math.max(0, deadline - LAST_CALL_MS - clock.wall());
    await Promise.race([answer, clock.sleep(leftMs, answered.signal)]);
    if (answered.signal.aborted) return answer;
    throw new StoreUnavailableError(`${name}: no answer before the function's deadline`);
  });
}

/** Makes a call of a role's method, or another one in its place. `name`: such as `leases.hold`. */
export type Interceptor = (
  name: string,
  call: () => Promise<unknown>,
  args: readonly unknown[],
) => Promise<unknown>;

/** The store with every call of its roles' methods in the hands of `intercept`. */
export function intercepted<Store extends object>(store: Store, intercept: Interceptor): Store {
  return new Proxy(store, {
    get: (_, role) => {
      const methods: unknown = Reflect.get(store, role);
      // A method of the store itself, such as `items` of a store in memory.
      if (typeof methods === 'function') return methods.bind(store);
      if (typeof methods !== 'object' || methods === null) return methods;
      return new Proxy(methods, {
        get: (_, name) => {
          const method: unknown = Reflect.get(methods, name);
          if (typeof method !== 'function') return method;
          return (...args: unknown[]) =>
            intercept(`${String(role)}.${String(name)}`, () => method.apply(methods, args), args);
        },
      });
    },
  });
}
