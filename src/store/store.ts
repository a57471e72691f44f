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
  readPage(ids: readonly string[], queue: string): Promise<{ records: BacklogRecord[]; queue: QueueState }>;
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
  scanUnplaced(page: ScanPage): Promise<{ ids: string[]; next: string | undefined }>;
  /** How far the search for such records has come; `undefined` before the first one. */
  readSweep(): Promise<SweepState | undefined>;
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
  takeTurns(queue: string, turns: Turns): Promise<number | undefined>;
  /**
   * Takes as many as are free, up to what is wanted: 0 if there are none, or too many ask at once. The same run may ask
   * again.
   */
  takeSlots(queue: string, ask: SlotsAsk): Promise<number>;
  /** False: the run has none any more. */
  renewSlots(queue: string, run: string, until: number): Promise<boolean>;
  releaseSlots(queue: string, run: string, slots: SlotsHeld): Promise<void>;
}

export interface ListFilter {
  readonly queue?: string | undefined;
  readonly status?: BacklogRecord['status'] | undefined;
}

/** The key of an index entry. */
export interface IndexKey {
  readonly id: string;
  /** ISO-8601. */
  readonly dueAt: string;
}

export interface DueQuery {
  readonly lane: string;
  /** Due times from here on, inclusive; default: no bound. */
  readonly from?: number | undefined;
  /** Due times up to here, inclusive. */
  readonly until: number;
  readonly order: 'oldestFirst' | 'newestFirst';
  /** Continue behind this place (exclusive), in the order of the query. The place itself may be gone. */
  readonly after?: IndexKey | undefined;
  readonly limit: number;
}

export interface DuePage {
  readonly keys: IndexKey[];
  /** There may be more behind the last key. */
  readonly more: boolean;
}

export interface LeaseOwner {
  /** Unique per run. */
  readonly holder: string;
  /** Real time: may be taken over when this has passed by more than the tolerated clock skew. */
  readonly until: number;
  /** Real time at which its holder will have ended, whatever is left: another may wait for that. */
  readonly ends?: number | undefined;
}

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

export interface LeaseState extends LeaseHold {
  readonly suspects: readonly string[];
  readonly cursor?: Cursor | undefined;
  readonly woken: boolean;
}

export type LeaseAnswer =
  | {
      readonly held: true;
      readonly cursor?: Cursor | undefined;
      /** Suspects left by an earlier run, or by this one; absent when there are none. */
      readonly suspects?: readonly string[] | undefined;
    }
  /** Another run holds the lease, or left it behind. `lease` is undefined if it became free in between: try again. */
  | { readonly held: false; readonly lease: LeaseState | undefined };

export interface LeaseLeft {
  /** The latest `until` that its holder has asked for: one that was renewed since, behind a request that arrives late, stays. */
  readonly until?: number | undefined;
  readonly cursor?: Cursor | undefined;
  readonly suspects?: readonly string[] | undefined;
}

export interface ArrivalsClaim extends LeaseOwner {
  /** Names the claim in its queue: a run that is given the same batch again meets it. */
  readonly batch: string;
  readonly ids: readonly string[];
  /** Claims of a queue at a time, this one included; where they are spread, rounded down to four equal parts. */
  readonly maxRuns?: number | undefined;
  /** The queue has shards: its claims are in several places, by their batches. */
  readonly isSpread?: boolean | undefined;
  /** Real time: claims that ran out before are cleared away. */
  readonly now: number;
}

export type NamedClaim = Pick<ArrivalsClaim, 'batch' | 'holder' | 'isSpread'>;

/**
 * - `claimed`: also if this very claim was made before and only its answer was lost.
 * - `taken`: another holder has this batch, and the same records in it.
 * - `shared`: others have some of the records, or are about to. The caller must release the claim, unless it held the
 *   claim before.
 * - `full`: so many claims are under way.
 */
export type ClaimAnswer = 'claimed' | 'taken' | 'shared' | 'full';

export interface ClaimedArrivals {
  /** Rarely one more: a store may know the records by their fingerprints. */
  readonly ids: readonly string[];
  /** The queues in which nothing was ever claimed. */
  readonly neverIn: readonly string[];
}

/** A part of a table that is read in as many parts as `segments`. */
export interface ScanPage {
  readonly segment: number;
  readonly segments: number;
  /** Continue behind this id, `next` of the page before. */
  readonly after?: string | undefined;
}

/** Times are of the backlog, epoch milliseconds. */
export interface SweepState {
  readonly startedAt: number;
  /** Absent while segments are left. */
  readonly finishedAt?: number | undefined;
  /** By segment: the `next` of its last page, "" before its first one, or null when it has come to its end. */
  readonly cursors: readonly (string | null)[];
  /** Found so far. */
  readonly found: number;
}

export interface RetryModeState {
  readonly mode: RetryMode;
  /** Real time at which the queue began to retry in this mode. */
  readonly since: number;
}

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

/** Real time, milliseconds. */
export interface Turns {
  readonly count: number;
  readonly intervalMs: number;
  readonly now: number;
  readonly latest?: number | undefined;
}

/** A run's share of the attempts that a queue may have under way at a time. Real time, epoch milliseconds. */
export interface SlotsAsk {
  /** Names the run. */
  readonly run: string;
  readonly wanted: number;
  /** The limit for all runs of the queue together. */
  readonly most: number;
  /** Runs on arrivals leave half of them to the rules. */
  readonly onArrival: boolean;
  /** Those that ran out before are free. */
  readonly now: number;
  readonly until: number;
}

export interface SlotsHeld {
  readonly count: number;
  readonly onArrival: boolean;
}

export interface QueueState {
  readonly paused: boolean;
  /** ISO-8601; absent where it is not known. */
  readonly pausedAt?: string | undefined;
  readonly retryMode?: RetryModeState | undefined;
  /** It was noted, and is not valid any more. */
  readonly isRetryModeDamaged?: true | undefined;
  /** By the tier's number; `3/1` is tier 3 of the second of several runs that share the queue's lanes. */
  readonly tiers: ReadonlyMap<string, TierRun>;
  /** Of the destinations whose breakers are not closed, except those that share one: `OWN_BREAKERS` at most. */
  readonly breakers: ReadonlyMap<string, BreakerState>;
}
