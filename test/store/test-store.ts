import type { Clock } from '../../src/clock.js';
import type { Item } from '../../src/record/index.js';
import { MemoryStore, type OperatorStore } from '../../src/store/index.js';
import { type Change, changesInMemory } from './changes.js';
import { dynamoDbStoreForTest } from './dynamodb-test-store.js';

/** A store of its own for one test, with hands in its tables that do not use the store's own code. */
export interface TestStore extends OperatorStore {
  /** Every item of the table of records. */
  items(): Item[];
  /** Writes an item as a foreign producer would: unconditionally, and with whatever it likes. */
  put(item: Item): void;
  delete(id: string): void;
}

export interface StoreForTest {
  readonly store: TestStore;
  /** What the table's stream tells of the items that are put meanwhile. */
  readonly changesOf: (write: () => void) => Change[];
  /** Settles when whoever works on the store waits for something else. */
  readonly quiet: () => Promise<void>;
}

/** True in `npm run test:dynamodb-local`: a request takes a thousand times as long as one to the store in memory. */
export const isOnDynamoDbLocal = process.env.BACKLOG_TEST_DYNAMODB_ENDPOINT !== undefined;

/** In memory; on DynamoDB Local in `npm run test:dynamodb-local`. */
export function storeForTest(clock: Clock): StoreForTest {
  const endpoint = process.env.BACKLOG_TEST_DYNAMODB_ENDPOINT;
  if (endpoint) return dynamoDbStoreForTest(clock, endpoint);
  const store = new MemoryStore({ clock });
  return { store, changesOf: (write) => changesInMemory(store, write), quiet: nextTurn };
}

/** The code under test waits for promises only: when the microtasks are through, it waits for the world. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
