import { intercepted } from '../../src/store/bounded-store.js';
import { StoreThrottledError, StoreUnavailableError } from '../../src/store/errors.js';
import type { BacklogStore } from '../../src/store/store.js';
import type { Random } from '../../src/support/random.js';
import type { Actor, Faults } from './actor.js';
import { between, chance } from './random.js';

const LATEST_MS = 300_000;

function isWrite(name: string): boolean {
  return !/\.(get|read|query|list|scan|count|find)/.test(name);
}

/**
 * The store as one actor sees it: every call takes time, and fails before or after it took effect, or takes effect
 * twice, as the network would have it.
 */
export function faultyStore<Store extends BacklogStore>(
  store: Store,
  actor: Actor,
  faults: () => Faults,
  random: Random,
): Store {
  return intercepted(
    store,
    (name, operation) =>
      new Promise((resolve, reject) => {
        const answer = (settle: () => void) => actor.step(actor.answerLatencyMs(), settle);
        const unavailable = () => reject(new StoreUnavailableError(`${name}: no answer`));
        actor.step(actor.latencyMs(), () => {
          if (chance(random, faults().errorBefore)) return answer(unavailable);
          if (faults().throttled > 0 && chance(random, faults().throttled))
            return answer(() => reject(new StoreThrottledError(`${name}: throttled`)));
          const effect = chance(random, faults().repeat) ? operation().then(operation) : operation();
          // The network had kept another copy of it.
          if (faults().lateRepeat > 0 && isWrite(name) && chance(random, faults().lateRepeat))
            actor.later(between(random, 1_000, LATEST_MS), () => void operation().catch(() => {}));
          const lost = chance(random, faults().errorAfter);
          effect.then(
            (value) => answer(lost ? unavailable : () => resolve(value)),
            (error) => answer(() => reject(error)),
          );
        });
      }),
  );
}
