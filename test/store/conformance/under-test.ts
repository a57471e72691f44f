import type { Item } from '../../../src/record/index.js';
import type { OperatorStore } from '../../../src/store/index.js';
import type { NumberedInserts } from '../../../src/store/numbered-inserts.js';
import type { OperatorSharedItems } from '../../../src/store/shared-items.js';

/** A store under test, and the hands of foreign producers and operators in its table. */
export interface StoreUnderTest {
  readonly store: OperatorStore;
  readonly groups: OperatorSharedItems;
  readonly numbered: NumberedInserts;
  /** Writes items unconditionally. No two have the same id. */
  put(...items: readonly Item[]): Promise<void>;
  delete(id: string): Promise<void>;
  /** Writes an item of the control table unconditionally. */
  putControl(key: string, attributes: Item): Promise<void>;
  /** The stored item. */
  raw(id: string): Promise<Item | undefined>;
  close(): Promise<void>;
}

/** Each test uses ids, lanes and queues of its own, so one store serves them all. */
export type UnderTest = () => StoreUnderTest;
