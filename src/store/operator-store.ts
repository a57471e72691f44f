import type { RetryPolicy } from '../policies/index.js';
import type { BacklogRecord, Item, RecordChange } from '../record/index.js';
import type { BacklogStore, IndexKey, LeaseState, QueueState, ScanPage } from './store.js';

/**
 * What an operator's tools need of a store beside what runs do. Kept apart, so that no handler loads it. Two
 * implementations, in the same conformance suite.
 */
export interface OperatorStore extends BacklogStore {
  /** Items as they are in the table, read strongly. Absent ids are left out. */
  readItems(ids: readonly string[]): Promise<Found[]>;
  /** One page of the whole table, eventually consistent: exactly one request. `next`: continue behind that id. */
  scanItems(page: ScanPage): Promise<{ readonly found: Found[]; readonly next: string | undefined }>;
  /**
   * As `settle`, all of it or nothing: an item that is too large for it is an error.
   *
   * @throws StoreError, also where the table refuses the change of this one record
   */
  change(record: BacklogRecord, change: OperatorChange, rev: string): Promise<'settled' | 'changed'>;
  /** Removes a record that is still as it was read. `removed` also if it is gone. */
  remove(record: BacklogRecord, rev: string): Promise<'removed' | 'changed'>;
  /** Counts one page of a lane's index, eventually consistent: exactly one request. */
  countDue(query: CountQuery): Promise<{ readonly count: number; readonly next: IndexKey | undefined }>;
  /** The leases that a run holds or has left behind, by key (`Lane.key`), read strongly. */
  readLeases(): Promise<ReadonlyMap<string, LeaseState>>;
  /** The queues that a run has served, or operators paused, by name. */
  readQueues(): Promise<ReadonlyMap<string, QueueState>>;
  /** Stops a queue's runs, or lets them go on. False: it was so already. */
  setPaused(queue: string, paused: boolean): Promise<boolean>;
}

/** A record, and its item as it is in the table. */
export interface Found {
  readonly item: Item;
  readonly record: BacklogRecord;
}

/** What an operator's action writes and removes; what it does not name stays as it is. */
export interface OperatorChange {
  readonly set: RecordChange['set'] & {
    readonly payload?: unknown;
    readonly retry?: RetryPolicy;
    readonly formerLane?: NonNullable<BacklogRecord['formerLane']>;
  };
  readonly remove: readonly (RecordChange['remove'][number] | 'retry' | 'formerLane')[];
}

export interface CountQuery {
  readonly lane: string;
  /** Due times from here on, inclusive; default: no bound. Epoch milliseconds. */
  readonly from?: number | undefined;
  /** Due times up to here, inclusive; default: no bound. */
  readonly until?: number | undefined;
  /** Continue behind this place, `next` of the page before. */
  readonly after?: IndexKey | undefined;
}
