import { BacklogOperator } from '../../src/operate/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import type { OperatorStore } from '../../src/store/index.js';
import { seededRandom } from '../simulation/random.js';
import type { Harness } from '../worker/harness.js';

let operators = 0;

/** An operator at work on the harness's queue `q`, on its clock. */
export function operatorOf(harness: Harness, store: OperatorStore = harness.store): BacklogOperator {
  return new BacklogOperator({
    table: 'records',
    controlTable: 'control',
    store,
    clock: harness.clock,
    random: seededRandom(++operators),
  });
}

/** A dead record, as a run leaves it. */
export function putDead(harness: Harness, id: string, attributes: Record<string, unknown> = {}): void {
  const at = new Date(harness.time.now).toISOString();
  const lastError = { name: 'HttpError', message: 'answered 500', at, attempt: 7 };
  harness.put(id, {
    status: 'DEAD',
    lane: 'q/dead',
    dueAt: at,
    deadReason: 'maxAttempts',
    attempts: 7,
    failures: 7,
    firstFailureAt: at,
    lastFailureAt: at,
    lastAttemptAt: at,
    lastError,
    history: [lastError],
    ...attributes,
  });
}

/** A call of a store, such as `records.change`. */
type Call = {
  [Role in keyof OperatorStore]: `${Role}.${keyof OperatorStore[Role] & string}`;
}[keyof OperatorStore];

/** A store that does something at certain calls, before they take effect. */
export function interrupted<Store extends OperatorStore>(
  store: Store,
  before: Partial<Record<Call, (...args: never[]) => unknown>>,
): Store {
  return intercepted(store, async (name, call, args) => {
    await before[name as Call]?.(...(args as never[]));
    return call();
  });
}
