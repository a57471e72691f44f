import { type BacklogStore, createDynamoDbClient, type DynamoDbStoreDeps } from '../src/store/index.js';
import type { Clock } from '../src/support/clock.js';
import { type Random, systemRandom } from '../src/support/random.js';
import { clockOf } from './clock.js';
import { createLogger } from './logger.js';
import type { Settings } from './settings.js';

/** The store, the clock and the random numbers of a run; tests hand in their own. */
export interface HandlerDeps<Store extends BacklogStore = BacklogStore> {
  /** The tables, or a store of a test, such as a `MemoryStore`. */
  readonly store: Store;
  /** The system's clock, or one of a test. */
  readonly clock: Clock;
  /** Node's random numbers, or those of a test. */
  readonly random: Random;
}

/**
 * Makes what a run needs, once per sandbox: clients keep their connections between invocations.
 *
 * @param Tables the class of the store, which has what the function needs and no more
 */
export function createDeps<Store extends BacklogStore>(
  settings: Settings,
  given: Partial<HandlerDeps<Store>>,
  Tables: new (deps: DynamoDbStoreDeps) => Store,
): HandlerDeps<Store> {
  const clock = given.clock ?? clockOf(settings);
  const random = given.random ?? systemRandom;
  const { tables, writesSingly = false } = settings;
  const groupWrites = !writesSingly;
  const store =
    given.store ??
    new Tables({ client: createDynamoDbClient(), tables, clock, random, groupWrites, onDamaged });
  return { clock, random, store };
}

export function onDamaged(key: string, attributes: readonly string[]): void {
  createLogger().error('a control item was damaged', { key, attributes });
}
