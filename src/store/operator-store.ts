import type { RetryPolicy } from '../policies/index.js';
import type { BacklogRecord, Item, RecordChange } from '../record/index.js';
import type { JobStore } from './job-store.js';
import type {
  ActiveRegion,
  ActiveRegionStore,
  IndexKey,
  LeaseState,
  LeaseStore,
  ListFilter,
  PageStore,
  QueueState,
  QueueStore,
  RecordStore,
  Registry,
  ScanPage,
  SweepStore,
} from './store.js';

/**
 * The store as an operator's tools use it: with more than runs need. Kept apart, so that no handler loads it. Two
 * implementations, in the same conformance suite.
 */
export interface OperatorStore extends SweepStore {
  /** The records, as operators read and change them. */
  readonly records: OperatorRecordStore;
  /** Pages of the index, also to be counted. */
  readonly pages: OperatorPageStore;
  /** The leases of lanes, also to be read. */
  readonly leases: OperatorLeaseStore;
  /** The items of the queues, also to be listed and paused. */
  readonly queues: OperatorQueueStore;
  /** The active region, also to be changed. */
  readonly activeRegion: OperatorActiveRegionStore;
  /** The control table as a whole. */
  readonly control: ControlStore;
  /** The readings that the monitor keeps of queues. */
  readonly readings: ReadingStore;
  /** The bulk jobs of operators. */
  readonly jobs: JobStore;
}

/** The store of functions that look at queues: they load less than an operator does. */
export interface OverviewStore
  extends Pick<OperatorStore, 'queues' | 'readings' | 'control' | 'pages' | 'registry'> {
  readonly records: Pick<OperatorStore['records'], 'getMany' | 'getItems'>;
  readonly activeRegion: Pick<OperatorStore['activeRegion'], 'read'>;
}

/** Attributes that are noted on a record beside its attempt. */
export type RecordNote = Pick<RecordChange['set'], 'notBefore' | 'completion'>;

/** The records, as operators read and change them. */
export interface OperatorRecordStore extends RecordStore {
  /** Records of a queue and a status, or of all; unordered. Reads the index where it can, otherwise the whole table. */
  list(filter: ListFilter): AsyncIterable<BacklogRecord>;
  /**
   * Items as they are in the table. Absent ids are left out.
   *
   * @param consistency `eventual`: as they were a moment ago, at half the price. Default: read strongly
   */
  getItems(ids: readonly string[], consistency?: 'strong' | 'eventual'): Promise<Found[]>;
  /** One page of the whole table, eventually consistent: exactly one request. `next`: continue behind that id. */
  scan(page: ItemsScan): Promise<ItemsPage>;
  /**
   * Writes a change as `settle` does, all of it or nothing: an item that would be too large is an error.
   *
   * @throws StoreError, also where the table refuses the change of this one record
   */
  change(record: BacklogRecord, change: OperatorChange, rev: string): Promise<'settled' | 'changed'>;
  /**
   * Notes something on a record whose attempt goes on, and leaves its `rev` as it is: that it is to end, or its end from outside.
   *
   * @returns `changed`: it is no longer as it was read, and nothing is written
   */
  note(record: BacklogRecord, note: RecordNote): Promise<'settled' | 'changed'>;
  /** Removes a record that is still as it was read. `removed` also if it is gone. */
  remove(record: BacklogRecord, rev: string): Promise<'removed' | 'changed'>;
}

/** The pages of the index, also to be counted. */
export interface OperatorPageStore extends PageStore {
  /** Counts one page of a lane's index, eventually consistent: exactly one request. */
  count(query: CountQuery): Promise<CountedPage>;
}

/** The leases, as operators look at them. */
export interface OperatorLeaseStore extends LeaseStore {
  /** The leases that a run holds or has left behind, by key, read strongly. */
  readAll(): Promise<ReadonlyMap<string, LeaseState>>;
}

/** The queues, as operators look at them and pause them. */
export interface OperatorQueueStore extends QueueStore {
  /** The queues that a run has served, or operators paused, by name. */
  readAll(): Promise<ReadonlyMap<string, QueueState>>;
  /**
   * Pauses a queue, or resumes it. False: it was so already, with the same note. A resume drops the note, and the evidence of
   * what fails.
   *
   * @param note the parts that are given replace those of the present pause, which keeps its beginning; `pausedBy` alone
   *   does not
   */
  setPaused(queue: string, paused: boolean, note?: PauseNote): Promise<boolean>;
  /** Writes the paused keys of a queue (`key-pauses.ts`); undefined: there are none. False: they are not as they were read. */
  notePausedKeys(queue: string, next: string | undefined, read: string | undefined): Promise<boolean>;
}

/** The words of an operator about a pause. */
export interface PauseNote {
  /** ISO-8601. No alarm is to go off before; the queue stays paused beyond it. */
  readonly pausedUntil?: string | undefined;
  /** Up to `MAX_PAUSE_TEXT` characters, as `isPauseText` takes them. */
  readonly pauseReason?: string | undefined;
  /** The name of the operator, in the same form. */
  readonly pausedBy?: string | undefined;
}

/** The active region, which operators change. */
export interface OperatorActiveRegionStore extends ActiveRegionStore {
  /** Makes a region the active one; `false` if another one was written since `read`. Without `read`, whatever is there. */
  write(next: ActiveRegion, read: ActiveRegion | undefined): Promise<boolean>;
}

/** The control table as a whole. */
export interface ControlStore {
  /**
   * Reads all that the control table says of queues.
   *
   * @param consistency default: `eventual`, as it was a moment ago, at half the price: for those who look again and again
   */
  read(consistency?: 'strong' | 'eventual'): Promise<ControlState>;
  /** The leases and claims that may have a run at work, read strongly. */
  readRuns(): Promise<readonly Exclusive[]>;
  /**
   * Reads what runs of one queue hold, by the keys alone: each lease, and the claims of the queue.
   *
   * @param leases keys of the queue's leases
   */
  readRunsOf(queue: string, leases: readonly string[]): Promise<RunsOfQueue>;
}

/** The runs of one queue. */
export interface RunsOfQueue {
  /** The leases that a run holds or has left behind, by key. */
  readonly leases: ReadonlyMap<string, LeaseState>;
  /** Their latest success, see `ControlState.successes`. Undefined: none is known. */
  readonly succeededAt: number | undefined;
}

/** The readings that the monitor keeps of queues. */
export interface ReadingStore {
  /** Notes what the monitor has read of a queue, in place of its reading before. */
  write(queue: string, reading: Item): Promise<void>;
  /** The monitor's reading of a queue; undefined: none yet. */
  read(queue: string): Promise<Item | undefined>;
}

/** The contents of the control table. Its attributes may have been written by any service. */
export interface ControlState {
  /** The queues that a run has served, or operators paused, by name. */
  readonly queues: ReadonlyMap<string, QueueState>;
  /** The leases that a run holds or has left behind, by key (`RecordRules.key`). */
  readonly leases: ReadonlyMap<string, LeaseState>;
  /**
   * The latest success of runs, by the key of their lease or the queue of their claim; the backlog's time, epoch milliseconds. It
   * comes with writes that are made anyway.
   */
  readonly successes: ReadonlyMap<string, number>;
  /** The monitor's readings, by queue. */
  readonly readings: ReadonlyMap<string, Item>;
  /** Lines that are noted as held until an operator acts, by queue. */
  readonly heldLines: ReadonlyMap<string, HeldCount>;
  /** The jobs of operators, by id. */
  readonly jobs: ReadonlyMap<string, Item>;
  /** The owners of the queues, and the primary region. */
  readonly registry: Registry;
  /** The active region, if an operator has written one. */
  readonly activeRegion?: ActiveRegion | undefined;
}

/** Keys of a queue with order whose records wait until an operator acts. */
export interface HeldCount {
  /** Keys that are noted: some may go on by now. */
  readonly keys: number;
  /** There may be more. */
  readonly hasMore: boolean;
}

/** A lease or a claim, which a run holds while it is at work. */
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

/** The count of one page of a lane's index. */
export interface CountedPage {
  /** The records of this page alone. */
  readonly count: number;
  /** The place to continue behind; undefined at the end. */
  readonly next: IndexKey | undefined;
}

/** A record, and its item as it is in the table. */
export interface Found {
  /** The item with all its attributes, as the producer and the library wrote them. */
  readonly item: Item;
  /** The item as a record, with every default filled in. */
  readonly record: BacklogRecord;
}

/** Attributes that an operator's action writes and removes. All others stay as they are. */
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

/** The part of a lane to count, by due time. */
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
