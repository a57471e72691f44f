import type { BacklogRecord, RetryMode } from '../record/index.js';

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

/** A run whose process has died: it holds nothing any more, whatever is written. */
export interface LostRun {
  /** The names of all its holds begin with this. */
  readonly holderPrefix: string;
  /** Real time at which its holds have run out: one that has passed. */
  readonly until: number;
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
}

/** A request for the next permits of a queue's rate. Real time, epoch milliseconds. */
export interface Permits {
  /** How many, from 1. */
  readonly count: number;
  /** From one attempt's start to the next, in milliseconds. */
  readonly intervalMs: number;
  /** The caller's time. */
  readonly now: number;
  /** Acquires none that would begin later. Default: acquires them whenever they begin. */
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
  /** The breakers that are not closed, by destination: `MAX_OPEN_BREAKERS` at most. */
  readonly breakers: ReadonlyMap<string, BreakerState>;
}
