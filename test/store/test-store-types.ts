import type { Item } from '../../src/record/index.js';
import type { OperatorStore } from '../../src/store/operator-store.js';
import type { SharedItems } from '../../src/store/shared-items.js';
import type { Change } from './changes.js';

/** A store of its own for one test, with hands in its tables that do not use the store's own code. */
export interface TestStore extends OperatorStore {
  readonly groups: SharedItems;
  /** Every item of the table of records. */
  items(): Item[];
  /** Writes an item as a foreign producer would: unconditionally, and with whatever it likes. */
  put(item: Item): void;
  delete(id: string): void;
}

export interface StoreForTest {
  readonly store: TestStore;
  /** Changes that the table's stream has for the items that are put meanwhile. */
  readonly changesOf: (write: () => void) => Change[];
  /** Settles when all work on the store waits for something else. */
  readonly quiet: () => Promise<void>;
}

/** The code under test waits for promises only: when the microtasks are through, it waits for the world. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
