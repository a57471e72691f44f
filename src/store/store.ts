import type { Item } from '../record/index.js';
import type {
  ActiveRegionStore,
  BreakerStore,
  ClaimStore,
  KeySlotStore,
  LeaseStore,
  PageStore,
  PermitStore,
  QueueStore,
  RecordStore,
  RegistryStore,
  SlotStore,
} from './roles.js';
import type { NotIndexedPage, ScanPage, SweepState } from './store-types.js';

export type * from './registry-types.js';
export type * from './roles.js';
export type * from './store-types.js';

/**
 * The store of records, leases and queue items, by roles: code takes the roles that it needs. Two implementations, one
 * conformance suite (test/store/conformance.ts): DynamoDB, and memory for tests and simulations.
 *
 * Every method throws a `StoreError` (see errors.ts), never an AWS error. Times are epoch milliseconds.
 */
export interface BacklogStore {
  /** The records, by their ids. */
  readonly records: RecordStore;
  /** Pages of the index, and of records with their queue. */
  readonly pages: PageStore;
  /** The leases of lanes. */
  readonly leases: LeaseStore;
  /** The claims on records that are not indexed. */
  readonly claims: ClaimStore;
  /** The items of the queues. */
  readonly queues: QueueStore;
  /** The breakers that are not closed. */
  readonly breakers: BreakerStore;
  /** The permits of queues with a rate limit, and of their keys. */
  readonly permits: PermitStore;
  /** The slots of queues with a global concurrency. */
  readonly slots: SlotStore;
  /** The slots of keys, of queues with a limit for the attempts of each key. */
  readonly keySlots: KeySlotStore;
  /** The owners of the queues. */
  readonly registry: RegistryStore;
  /** The active region. */
  readonly activeRegion: ActiveRegionStore;
  /** The lines of keys, of queues with order, as runs read them. */
  readonly lines: LineReader;
}

/** The items of lines; src/lines/names.ts tells which there are. */
export interface LineReader {
  /** Reads items, strongly, by key; absent ones are left out. */
  getMany(keys: readonly string[]): Promise<ReadonlyMap<string, Item>>;
}

/** The store as the sweep uses it. Kept apart, so that no function that attempts records loads it. */
export interface SweepStore extends BacklogStore {
  /** The search for records that wait and are not indexed. */
  readonly sweep: NotIndexedStore;
}

/** The search for records that wait and are not indexed. */
export interface NotIndexedStore {
  /** One page of the whole table, of the records that wait and are not indexed: exactly one request. */
  scan(page: ScanPage): Promise<NotIndexedPage>;
  /** Reads the progress of the search; `undefined` before the first one. */
  read(): Promise<SweepState | undefined>;
  /** Stores the progress of the search. */
  write(state: SweepState): Promise<void>;
}
