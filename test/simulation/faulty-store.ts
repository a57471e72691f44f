import type { BacklogRecord } from '../../src/record/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { StoreThrottledError, StoreUnavailableError } from '../../src/store/errors.js';
import { type Settle, type Settled, SettleGroups } from '../../src/store/settle-groups.js';
import type { BacklogStore } from '../../src/store/store.js';
import type { Random } from '../../src/support/random.js';
import type { Actor, Faults } from './actor.js';
import { between, chance } from './random.js';

/** A change, and its write as the store carries it out. */
interface Change extends Settle {
  readonly once: () => Promise<Settled>;
}

const LATEST_MS = 300_000;
/** A change of a group is throttled, or was written by a try whose answer was lost. */
const REFUSED_IN_GROUP = 0.05;

function isWrite(name: string): boolean {
  return !/\.(get|read|query|list|scan|count|find)/.test(name);
}

/**
 * The store as one actor sees it: every call takes time, and fails before or after it took effect, or takes effect
 * twice, as the network would have it. Settles that come at the same time are one call.
 */
export function faultyStore<Store extends BacklogStore>(
  store: Store,
  actor: Actor,
  faults: () => Faults,
  random: Random,
): Store {
  const call = <Answer>(name: string, operation: () => Promise<Answer>): Promise<Answer> =>
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
    });
  const together = async ({ once }: Change): Promise<boolean> => {
    if (chance(random, REFUSED_IN_GROUP)) return false;
    const isWritten = (await once()) === 'settled';
    return (isWritten && !chance(random, REFUSED_IN_GROUP)) || chance(random, faults().misread ?? 0);
  };
  const groups = new SettleGroups<Change>(
    (settles) => call('records.together', () => Promise.all(settles.map(together))),
    actor.clock,
  );
  return intercepted(store, (name, operation, args) => {
    if (name !== 'records.settle') return call(name, operation);
    const [{ id }] = args as [BacklogRecord];
    const once = operation as () => Promise<Settled>;
    return groups.write({ id, once, alone: () => call(name, once) });
  });
}
