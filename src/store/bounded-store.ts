import type { Clock } from '../support/clock.js';
import { StoreUnavailableError } from './errors.js';
import type { BacklogStore } from './store.js';

/** Before the function's own deadline: what is not answered by then is not waited for. */
const LAST_CALL_MS = 1_000;

/**
 * The store, with no call that outlives the function: an SDK that repeats a request which gets no answer could take
 * longer than the time that is left, and a run must end by itself.
 *
 * A call that is given up throws StoreUnavailableError; it may still take effect.
 */
export function boundedStore(store: BacklogStore, clock: Clock, deadline: number): BacklogStore {
  const bound = async <T>(name: string, call: Promise<T>): Promise<T> => {
    const answered = new AbortController();
    const givenUp = async (): Promise<T> => {
      await clock.sleep(Math.max(0, deadline - LAST_CALL_MS - clock.wall()), answered.signal);
      if (answered.signal.aborted) return call;
      throw new StoreUnavailableError(`${name}: no answer before the function's deadline`);
    };
    return Promise.race([call.finally(() => answered.abort('answered')), givenUp()]);
  };
  return new Proxy(store, {
    get: (_, name: keyof BacklogStore & string) => {
      const method = store[name] as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        const answer = method.apply(store, args);
        return answer instanceof Promise ? bound(name, answer) : answer;
      };
    },
  });
}
