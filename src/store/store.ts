import type { BacklogRecord, Item, RecordChange, RetryMode } from '../record/index.js';

/**
 * Where records, leases and queue items live. Two implementations, one conformance suite
 * (test/store/conformance.ts): DynamoDB, and memory for tests and simulations.
 *
 * Every method throws a `StoreError` (see errors.ts), never an AWS error. Times are epoch milliseconds.
 */
export interface BacklogStore {
  /** Stores a new item; an id that exists already is left alone. */
  insert(item: Item): Promise<'inserted' | 'duplicate'>;
  /** One record, read strongly. */
  get(id: string): Promise<BacklogRecord | undefined>;
  /** Records of a queue and a status, or of all; unordered. Reads the index where it can, otherwise the whole table. */
  list(filter: ListFilter): AsyncIterable<BacklogRecord>;

  /** One page of the index, eventually consistent: exactly one request. */
  queryDue(query: DueQuery): Promise<DuePage>;
  /** The records of a page, read strongly, and the item of their queue. Absent ids are left out. */
  readPage(ids: readonly string[], queue: string): Promise<PageRead>;
  /** The item of a queue, read strongly; for a queue that no run has served, it says so. */
  readQueue(queue: string): Promise<QueueState>;
  /** The records of these ids, read strongly. Absent ids are left out. */
  readRecords(ids: readonly string[]): Promise<BacklogRecord[]>;
  /**
   * Writes a record's change and its new `rev`, if the record is still as it was read. `settled` also if this very
   * write had taken effect before and only its answer was lost. `changed`: another process wrote first; nothing is written.
   */
  settle(record: BacklogRecord, change: RecordChange, rev: string): Promise<'settled' | 'changed'>;

  /** Takes the lease, or renews it, and writes the in-flight journal of a page, in one conditional write. */
  holdLease(key: string, hold: LeaseHold): Promise<LeaseAnswer>;
  /** Takes an expired lease from its holder with its journal and suspects kept; `undefined` if it has changed since. */
  takeOverLease(key: string, from: LeaseState, to: LeaseOwner): Promise<LeaseState | undefined>;
  /** Asks the holder to look once more before it releases. False if the lease is no longer that holder's. */
  wakeHolder(key: string, holder: string): Promise<boolean>;
  /** Clears the wake mark. False if the lease is not the holder's any more. */
  acknowledgeWake(key: string, holder: string): Promise<boolean>;
  /**
   * Gives the lease back with its journal cleared, unless a wake mark was set. `suspects` are left for the next holder.
   * `lost`: it is another run's. A lease that is free already counts as released: an answer may have been lost.
   */
  releaseLease(key: string, holder: string, left: LeaseLeft): Promise<'released' | 'woken' | 'lost'>;

  /**
   * Claims records that are not indexed, so that only one run works on them: a run that attempts or indexes them must
   * have claimed them. Of two claims that name the same record, made at the same time, at least one is refused.
   */
  claimArrivals(queue: string, claim: ArrivalsClaim): Promise<ClaimAnswer>;
  /** Ends a claim. One that is gone or another's is left alone. */
  releaseArrivals(queue: string, claim: NamedClaim): Promise<void>;
  /**
   * Which of these records are claimed in any of these queues, by claims that have not run out at `now` (real time).
   */
  claimedArrivals(queues: readonly string[], ids: readonly string[], now: number): Promise<ClaimedArrivals>;

  /** One page of the whole table, of the records that wait and are not indexed: exactly one request. */
  scanNotIndexed(page: ScanPage): Promise<NotIndexedPage>;
  /** How far the search for such records has come; `undefined` before the first one. */
  readSweep(): Promise<SweepState | undefined>;
  /** Stores how far it has come. */
  writeSweep(state: SweepState): Promise<void>;

  /** Notes how the queue retries since when; `false` if it is no longer as it was read. */
  setRetryMode(queue: string, next: RetryModeState, read: RetryModeState | undefined): Promise<boolean>;
  /** Notes how the run of a tier ended. */
  recordTierRun(queue: string, tier: string, run: TierRun): Promise<void>;
  /**
   * Opens, holds or closes (`next` undefined) the breaker of a destination; `false` if it is no longer as it was
   * read. One that opens while `OWN_BREAKERS` of its queue are open is shared with others of the same hash.
   */
  setBreaker(
    queue: string,
    destination: string,
    next: BreakerState | undefined,
    read: BreakerState | undefined,
  ): Promise<boolean>;
  /** The breaker that a destination shares with others, if it is not closed; read strongly. */
  readSharedBreaker(queue: string, destination: string): Promise<BreakerState | undefined>;
  /**
   * Takes the queue's next turns to start attempts, which no other run has then: the first one comes at once, or when
   * all that were taken before are over. Returns when that is (real time); undefined if it were later than `latest`.
   */
  acquirePermits(queue: string, turns: Permits): Promise<number | undefined>;
  /**
   * Takes as many as are free, up to what is wanted: 0 if there are none, or too many ask at once. The same run may ask
   * again.
   */
  takeSlots(queue: string, ask: SlotsAsk): Promise<number>;
  /** False: the run has none any more. */
  renewSlots(queue: string, run: string, until: number): Promise<boolean>;
  /** Gives the slots of a run back. Those that ran out are left alone. */
  releaseSlots(queue: string, run: string, slots: SlotsHeld): Promise<void>;
}

/** Which records to list. */
export interface ListFilter {
  /** Default: those of all queues. */
  readonly queue?: string | undefined;
  /** Default: those of every status. */
  readonly status?: BacklogRecord['status'] | undefined;
}

/** Records with the item of their queue. */
export interface PageRead {
  /** In no particular order. */
  readonly records: BacklogRecord[];
  /** The item of the queue. */
  readonly queue: QueueState;
}

/** Ids of one page of the whole table. */
export interface NotIndexedPage {
  /** The ids of records that wait and are not indexed. */
  readonly ids: string[];
  /** The id to continue behind; undefined at the end. */
  readonly next: string | undefined;
}

/** The key of an index entry. */
export interface IndexKey {
  /** The record's. */
  readonly id: string;
  /** ISO-8601. */
  readonly dueAt: string;
}

/** A page of a lane, by due time. */
export interface DueQuery {
  /** The partition of the index: `orders`, `orders#1` of a queue with shards, `orders#dead`. */
  readonly lane: string;
  /** Due times from here on, inclusive, epoch milliseconds. Default: no bound. */
  readonly from?: number | undefined;
  /** Due times up to here, inclusive, epoch milliseconds. */
  readonly until: number;
  /** By due time, from which end. */
  readonly order: 'oldestFirst' | 'newestFirst';
  /** Continue behind this place (exclusive), in the order of the query. The place itself may be gone. */
  readonly after?: IndexKey | undefined;
  /** Places at most. */
  readonly limit: number;
}

/** Places in the index, in the order of the query. */
export interface DuePage {
  /** At most as many as the query's `limit`. */
  readonly keys: IndexKey[];
  /** There may be more behind the last key. */
  readonly more: boolean;
}

/** The holder of a lease or a claim, and its end. */
export interface LeaseOwner {
  /** Unique per run. */
  readonly holder: string;
  /** Real time: may be taken over when this has passed by more than the tolerated clock skew. */
  readonly until: number;
  /** Real time at which its holder will have ended, whatever is left: another may wait for that. */
  readonly ends?: number | undefined;
}

/** A lease with the in-flight journal of one page. */
export interface LeaseHold extends LeaseOwner {
  /** Ids of the page: under attempt, or about to be. */
  readonly ids: readonly string[];
  /** All of them have been read, and their attempts begin with this write at the latest. Absent: not even that. */
  readonly begun?: true | undefined;
  /** What the settles of these ids will write as `rev`: a record that has it was settled. */
  readonly rev: string;
  /** Ids of a crashed run that still wait for their attempt alone. Absent: those stored stay; empty: none are left. */
  readonly suspects?: readonly string[] | undefined;
}

/** Where the sweep of a run that ended at a limit stopped. */
export interface Cursor {
  /** The newest place that run saw at its start. */
  readonly head: IndexKey;
  /** The last place it attempted. */
  readonly at: IndexKey;
}

/** A lease as it is stored. */
export interface LeaseState extends LeaseHold {
  /** Ids of a crashed run that still wait for their attempt alone. */
  readonly suspects: readonly string[];
  /** Where an earlier run stopped. Absent: it came to its end. */
  readonly cursor?: Cursor | undefined;
  /** Another run has asked the holder to look once more. */
  readonly woken: boolean;
}

/** What came of taking a lease. */
export type LeaseAnswer =
  | {
      /** The lease is the caller's. */
      readonly held: true;
      /** Where an earlier run stopped. Absent: it came to its end. */
      readonly cursor?: Cursor | undefined;
      /** Suspects left by an earlier run, or by this one; absent when there are none. */
      readonly suspects?: readonly string[] | undefined;
    }
  | {
      /** Another run holds it, or has left it behind. */
      readonly held: false;
      /** As it is stored; undefined if it became free in between: try again. */
      readonly lease: LeaseState | undefined;
    };

/** What a holder leaves for the next one. */
export interface LeaseLeft {
  /** The latest `until` that its holder has asked for: one that was renewed since, behind a request that arrives late, stays. */
  readonly until?: number | undefined;
  /** Where the run stopped. Default: it came to its end. */
  readonly cursor?: Cursor | undefined;
  /** Ids that still wait for their attempt alone. Default: none. */
  readonly suspects?: readonly string[] | undefined;
}

/** Inserts that one run is about to attempt, or to put into the index. */
export interface ArrivalsClaim extends LeaseOwner {
  /** Names the claim in its queue: a run that is given the same batch again meets it. */
  readonly batch: string;
  /** The ids of the records. */
  readonly ids: readonly string[];
  /** Claims of a queue at a time, this one included; where they are spread, rounded down to four equal parts. */
  readonly maxRuns?: number | undefined;
  /** The queue has shards: its claims are in several places, by their batches. */
  readonly isSpread?: boolean | undefined;
  /** Real time: claims that ran out before are cleared away. */
  readonly now: number;
}

/** What names a claim. */
export type NamedClaim = Pick<ArrivalsClaim, 'batch' | 'holder' | 'isSpread'>;

/**
 * - `claimed`: also if this very claim was made before and only its answer was lost.
 * - `taken`: another holder has this batch, and the same records in it.
 * - `shared`: others have some of the records, or are about to. The caller must release the claim, unless it held the
 *   claim before.
 * - `full`: so many claims are under way.
 */
export type ClaimAnswer = 'claimed' | 'taken' | 'shared' | 'full';

/** Which of the records that were asked for are claimed. */
export interface ClaimedArrivals {
  /** Rarely one more: a store may know the records by their fingerprints. */
  readonly ids: readonly string[];
  /** The queues in which nothing was ever claimed. */
  readonly neverIn: readonly string[];
}

/** A part of a table that is read in as many parts as `segments`. */
export interface ScanPage {
  /** Which part, from 0. */
  readonly segment: number;
  /** How many parts there are. */
  readonly segments: number;
  /** Continue behind this id, `next` of the page before. */
  readonly after?: string | undefined;
}

/** Times are of the backlog, epoch milliseconds. */
export interface SweepState {
  /** When it began. */
  readonly startedAt: number;
  /** Absent while segments are left. */
  readonly finishedAt?: number | undefined;
  /** By segment: the `next` of its last page, "" before its first one, or null when it has come to its end. */
  readonly cursors: readonly (string | null)[];
  /** Found so far. */
  readonly found: number;
}

/** How a queue retries, and since when. */
export interface RetryModeState {
  /** By a due time per record, or by the record's age. */
  readonly mode: RetryMode;
  /** Real time at which the queue began to retry in this mode. */
  readonly since: number;
}

/** How the latest run of a tier ended. */
export interface TierRun {
  /** When the run started, in the backlog's time. */
  readonly at: number;
  /** Everything due in its band was attempted; false if it ended at a limit. */
  readonly complete: boolean;
}

/** The open circuit breaker of a destination. Times are of the backlog, epoch milliseconds. */
export interface BreakerState {
  /** No attempt before; from then on, one probe. */
  readonly until: number;
  /** When it opened. */
  readonly since: number;
  /** New at every change: a run that changes it must have read this one. */
  readonly token: string;
  /** It is kept outside of the queue's item, for several destinations. Absent: for this one alone. */
  readonly shared?: true | undefined;
}

/** A request for the next permits of a queue's rate. Real time, epoch milliseconds. */
export interface Permits {
  /** How many, from 1. */
  readonly count: number;
  /** From one attempt's start to the next, in milliseconds. */
  readonly intervalMs: number;
  /** The caller's time. */
  readonly now: number;
  /** Takes none that would begin later. Default: takes them whenever they begin. */
  readonly latest?: number | undefined;
}

/** A run's share of the attempts that a queue may have under way at a time. Real time, epoch milliseconds. */
export interface SlotsAsk {
  /** Names the run. */
  readonly run: string;
  /** How many the run could use. */
  readonly wanted: number;
  /** The limit for all runs of the queue together. */
  readonly most: number;
  /** Runs on arrivals leave half of them to the rules. */
  readonly onArrival: boolean;
  /** Those that ran out before are free. */
  readonly now: number;
  /** When those that are taken run out, unless they are renewed. */
  readonly until: number;
}

/** What a run gives back. */
export interface SlotsHeld {
  /** How many. */
  readonly count: number;
  /** They were taken for inserts. */
  readonly onArrival: boolean;
}

/** The item of a queue in the control table. */
export interface QueueState {
  /** An operator has stopped the queue. */
  readonly paused: boolean;
  /** ISO-8601; absent where it is not known. */
  readonly pausedAt?: string | undefined;
  /** How the queue retries; absent until a run has noted it. */
  readonly retryMode?: RetryModeState | undefined;
  /** It was noted, and is not valid any more. */
  readonly isRetryModeDamaged?: true | undefined;
  /** By the tier's number; `3/1` is tier 3 of the second of several runs that share the queue's lanes. */
  readonly tiers: ReadonlyMap<string, TierRun>;
  /** Of the destinations whose breakers are not closed, except those that share one: `OWN_BREAKERS` at most. */
  readonly breakers: ReadonlyMap<string, BreakerState>;
}
