import type { RetryPolicy } from '../policies/index.js';
import type { BacklogRecord, Item, RecordChange } from '../record/index.js';
import type {
  ActiveRegion,
  IndexKey,
  LeaseState,
  ListFilter,
  QueueState,
  Registry,
  ScanPage,
  SweepStore,
} from './store.js';

/**
 * What an operator's tools need of a store beside what runs do. Kept apart, so that no handler loads it. Two
 * implementations, in the same conformance suite.
 */
export interface OperatorStore extends SweepStore {
  /** Records of a queue and a status, or of all; unordered. Reads the index where it can, otherwise the whole table. */
  list(filter: ListFilter): AsyncIterable<BacklogRecord>;
  /**
   * Items as they are in the table. Absent ids are left out.
   *
   * @param consistency `eventual`: as they were a moment ago, at half the price. Default: read strongly
   */
  readItems(ids: readonly string[], consistency?: 'strong' | 'eventual'): Promise<Found[]>;
  /** One page of the whole table, eventually consistent: exactly one request. `next`: continue behind that id. */
  scanItems(page: ItemsScan): Promise<ItemsPage>;
  /**
   * As `settle`, all of it or nothing: an item that is too large for it is an error.
   *
   * @throws StoreError, also where the table refuses the change of this one record
   */
  change(record: BacklogRecord, change: OperatorChange, rev: string): Promise<'settled' | 'changed'>;
  /** Removes a record that is still as it was read. `removed` also if it is gone. */
  remove(record: BacklogRecord, rev: string): Promise<'removed' | 'changed'>;
  /** Counts one page of a lane's index, eventually consistent: exactly one request. */
  countDue(query: CountQuery): Promise<CountedPage>;
  /** The lease of this key (`RecordRules.key`), if a run holds it or has left it behind; read strongly. */
  readLease(key: string): Promise<LeaseState | undefined>;
  /** The leases that a run holds or has left behind, by key (`RecordRules.key`), read strongly. */
  readLeases(): Promise<ReadonlyMap<string, LeaseState>>;
  /** The queues that a run has served, or operators paused, by name. */
  readQueues(): Promise<ReadonlyMap<string, QueueState>>;
  /**
   * All that the control table says of queues.
   *
   * @param consistency default: `eventual`, as it was a moment ago, at half the price: for those who look again and again
   */
  readControl(consistency?: 'strong' | 'eventual'): Promise<ControlState>;
  /** The leases and claims that may have a run at work, read strongly. */
  readRuns(): Promise<readonly Exclusive[]>;
  /** Makes a region the active one; `false` if another one was written since `read`. Without `read`, whatever is there. */
  writeActiveRegion(next: ActiveRegion, read: ActiveRegion | undefined): Promise<boolean>;
  /** Notes what the monitor has read of a queue, in place of its reading before. */
  writeReading(queue: string, reading: Item): Promise<void>;
  /** What the monitor has noted of a queue; undefined: nothing yet. */
  readReading(queue: string): Promise<Item | undefined>;
  /** Stops a queue's runs, or lets them go on. False: it was so already. */
  setPaused(queue: string, paused: boolean): Promise<boolean>;
}

/** What the control table says of queues. Its attributes may have been written by any service. */
export interface ControlState {
  /** The queues that a run has served, or operators paused, by name. */
  readonly queues: ReadonlyMap<string, QueueState>;
  /** The leases that a run holds or has left behind, by key (`RecordRules.key`). */
  readonly leases: ReadonlyMap<string, LeaseState>;
  /** What the monitor has noted, by queue. */
  readonly readings: ReadonlyMap<string, Item>;
  /** The owners of the queues, and the primary region. */
  readonly registry: Registry;
  /** What an operator has written. */
  readonly activeRegion?: ActiveRegion | undefined;
}

/** What a run holds while it is at work: a lease or a claim. */
export interface Exclusive {
  /** The lease's key, or the queue of the claim. */
  readonly name: string;
  /** Real time, epoch milliseconds, at which it runs out. */
  readonly until: number;
}

/** A part of the table to read. */
export interface ItemsScan extends ScanPage {
  /** Items at most. Default: as many as one request gives, up to 1 MB. */
  readonly limit?: number | undefined;
}

/** One page of the whole table. */
export interface ItemsPage {
  /** The records of the page, unordered. */
  readonly found: Found[];
  /** The id to continue behind; undefined at the end. */
  readonly next: string | undefined;
}

/** How many records one page of a lane's index holds. */
export interface CountedPage {
  /** The records of this page alone. */
  readonly count: number;
  /** The place to continue behind; undefined at the end. */
  readonly next: IndexKey | undefined;
}

/** A record, and its item as it is in the table. */
export interface Found {
  /** With all its attributes, as the producer and the library wrote them. */
  readonly item: Item;
  /** The same, read with every default filled in. */
  readonly record: BacklogRecord;
}

/** What an operator's action writes and removes; what it does not name stays as it is. */
export interface OperatorChange {
  /** Attributes and their new values. */
  readonly set: RecordChange['set'] & {
    /** The new payload. */
    readonly payload?: unknown;
    /** The new policy of the record's own. */
    readonly retry?: RetryPolicy;
  };
  /** Attributes that go. */
  readonly remove: readonly (RecordChange['remove'][number] | 'retry')[];
}

/** What to count of a lane, by due time. */
export interface CountQuery {
  /** The partition of the index. */
  readonly lane: string;
  /** Due times from here on, inclusive; default: no bound. Epoch milliseconds. */
  readonly from?: number | undefined;
  /** Due times up to here, inclusive; default: no bound. Epoch milliseconds. */
  readonly until?: number | undefined;
  /** Continue behind this place, `next` of the page before. */
  readonly after?: IndexKey | undefined;
}
