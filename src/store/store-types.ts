import type { BacklogRecord, RetryMode } from '../record/index.js';

/** The records to list. */
export interface ListFilter {
  /** The queue of the records. Default: any. */
  readonly queue?: string | undefined;
  /** The status of the records. Default: any. */
  readonly status?: BacklogRecord['status'] | undefined;
}

/** Records with the item of their queue. */
export interface PageRead {
  /** The records, in no particular order. */
  readonly records: BacklogRecord[];
  /** Ids that were not read: the others' records have many bytes. Read them when you are done with those. Absent: none. */
  readonly unread?: readonly string[] | undefined;
  /** True: they take so much memory that others are to be read when you are done with these. Absent: they do not. */
  readonly isLarge?: boolean | undefined;
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
  /** The record's id. */
  readonly id: string;
  /** The due time, ISO-8601. */
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
  /** The order of the due times. */
  readonly order: 'oldestFirst' | 'newestFirst';
  /** Place to continue behind (exclusive), in the order of the query. The place itself may be gone. */
  readonly after?: IndexKey | undefined;
  /** Places at most. */
  readonly limit: number;
}

/** Places in the index, in the order of the query. */
export interface DuePage {
  /** The places, at most as many as the query's `limit`. */
  readonly keys: IndexKey[];
  /** There may be more behind the last key. */
  readonly more: boolean;
}

/** The holder of a lease or a claim, and its end. */
export interface LeaseOwner {
  /** Names the run, uniquely. */
  readonly holder: string;
  /** Real time at which it runs out. It may be taken over when this has passed by more than the tolerated clock skew. */
  readonly until: number;
}

/** A lease with the in-flight journal of one page. */
export interface LeaseHold extends LeaseOwner {
  /** Ids of the page: under attempt, or about to be. */
  readonly ids: readonly string[];
  /** All of them have been read, and their attempts begin with this write at the latest. Absent: no attempt has begun. */
  readonly begun?: true | undefined;
  /** The `rev` that the settles of these ids write: a record that has it was settled. */
  readonly rev: string;
  /** Ids of a crashed run that still wait for their attempt alone. Absent: those stored stay; empty: none are left. */
  readonly suspects?: readonly string[] | undefined;
  /** The latest success of the run, see `ControlState.successes`. Absent: that stored stays. */
  readonly succeededAt?: number | undefined;
}

/** The place where a run that ended at a limit stopped. */
export interface Cursor {
  /** The newest place that run saw at its start. */
  readonly head: IndexKey;
  /** The last place it attempted. */
  readonly at: IndexKey;
}

/** A lease as it is stored. */
export interface LeaseState extends Omit<LeaseHold, 'succeededAt'> {
  /** Ids of a crashed run that still wait for their attempt alone. */
  readonly suspects: readonly string[];
  /** The place where an earlier run stopped. Absent: it came to its end. */
  readonly cursor?: Cursor | undefined;
  /** Another run has asked the holder to look once more. */
  readonly woken: boolean;
  /** Holders that were reported lost since one gave it back, for operators: runs do not read it. Absent: none. */
  readonly lost?: number | undefined;
}

/** The answer to a run that takes a lease. */
export type LeaseAnswer =
  | {
      /** The lease is the caller's. */
      readonly held: true;
      /** The place where an earlier run stopped. Absent: it came to its end. */
      readonly cursor?: Cursor | undefined;
      /** Suspects left by an earlier run, or by this one; absent when there are none. */
      readonly suspects?: readonly string[] | undefined;
    }
  | {
      /** Another run holds it, or has left it behind. */
      readonly held: false;
      /** The lease as it is stored; undefined if it became free in between: try again. */
      readonly lease: LeaseState | undefined;
    };

/** The state that a holder leaves for the next one. */
export interface LeaseLeft {
  /** The latest `until` that the holder has asked for. A lease with a later one stays: this request has arrived late. */
  readonly until?: number | undefined;
  /** The place where the run stopped. Default: it came to its end. */
  readonly cursor?: Cursor | undefined;
  /** Ids that still wait for their attempt alone. Default: none. */
  readonly suspects?: readonly string[] | undefined;
  /** The latest success of the run. Default: that stored stays. */
  readonly succeededAt?: number | undefined;
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
  /** Limit of the claims of a queue, this one included. Where they are spread, it is rounded down to four equal parts. */
  readonly maxRuns?: number | undefined;
  /** The queue has shards: its claims are in several places, by their batches. */
  readonly isSpread?: boolean | undefined;
  /** Real time: claims that ran out before are cleared away. */
  readonly now: number;
}

/** The attributes that name a claim. */
export type NamedClaim = Pick<ArrivalsClaim, 'batch' | 'holder' | 'isSpread'>;

/** A claim that is given back. */
export interface ClaimLeft extends NamedClaim {
  /** The latest success under it. Default: that stored stays. */
  readonly succeededAt?: number | undefined;
}

/**
 * The answer to a claim.
 *
 * - `claimed`: also if this very claim was made before and only its answer was lost.
 * - `taken`: another holder has this batch, and the same records in it.
 * - `shared`: others have some of the records, or are about to. The caller must release the claim, unless it held the
 *   claim before.
 * - `full`: `maxRuns` claims are under way.
 */
export type ClaimAnswer = 'claimed' | 'taken' | 'shared' | 'full';

/** The records, among those that were asked for, that are claimed. */
export interface ClaimedArrivals {
  /** The ids. Rarely, one of them is not claimed: a store may know the records by their fingerprints. */
  readonly ids: readonly string[];
  /** The queues in which nothing was ever claimed. */
  readonly neverIn: readonly string[];
}

/** A part of a table that is read in as many parts as `segments`. */
export interface ScanPage {
  /** The part's number, from 0. */
  readonly segment: number;
  /** Number of parts. */
  readonly segments: number;
  /** Id to continue behind: the `next` of the page before. */
  readonly after?: string | undefined;
}

/** The progress of a sweep. Times are of the backlog, epoch milliseconds. */
export interface SweepState {
  /** The time at which it began. */
  readonly startedAt: number;
  /** The time at which it ended. Absent while segments are left. */
  readonly finishedAt?: number | undefined;
  /** The `next` of each segment's last page; "" before its first one, null when it has come to its end. */
  readonly cursors: readonly (string | null)[];
  /** Number of records found so far. */
  readonly found: number;
}

/** The retry mode of a queue, and its beginning. */
export interface RetryModeState {
  /** The retry mode. */
  readonly mode: RetryMode;
  /** Real time at which the queue began to retry in this mode. */
  readonly since: number;
}

/** The end of a tier's latest run. */
export interface TierRun {
  /** The backlog's time at which the run started, epoch milliseconds. */
  readonly at: number;
  /** Everything due in its band was attempted; false if it ended at a limit. */
  readonly complete: boolean;
}

/** The open circuit breaker of a destination. Times are of the backlog, epoch milliseconds. */
export interface BreakerState {
  /** The time before which there is no attempt; from then on, there is one probe. */
  readonly until: number;
  /** The time at which it opened. */
  readonly since: number;
  /** A token that is new at every change: a run that changes the breaker must have read this one. */
  readonly token: string;
}

/** A request for the next permits of a queue's rate, or of the rate of one of its keys. Real time, epoch milliseconds. */
export interface Permits {
  /** The key's short name (`[0-9a-z]{1,7}`). Default: the permits are those of the queue. */
  readonly key?: string | undefined;
  /** Number of permits, from 1. */
  readonly count: number;
  /** Time between the starts of two attempts, in milliseconds. */
  readonly intervalMs: number;
  /** The caller's time. */
  readonly now: number;
  /** Latest start of the first attempt: none is acquired if it were later. Default: no limit. */
  readonly latest?: number | undefined;
}

/** A request for slots: a run's share of the attempts that a queue may have under way. Real time, epoch milliseconds. */
export interface SlotsAsk {
  /** Names the run. */
  readonly run: string;
  /** Number of slots that the run could use, with those that it has. */
  readonly wanted: number;
  /** Number of slots that the run has, and keeps. Default: 0. */
  readonly has?: number | undefined;
  /** The limit for all runs of the queue together. */
  readonly most: number;
  /** The run attempts arrivals: such runs leave half of the slots to the rules. */
  readonly onArrival: boolean;
  /** The caller's time: slots that ran out before are free. */
  readonly now: number;
  /** The time at which the slots run out, unless they are renewed. */
  readonly until: number;
}

/** The slots that a run gives back. */
export interface SlotsHeld {
  /** Number of slots. */
  readonly count: number;
  /** They were taken by a run on arrivals. */
  readonly onArrival: boolean;
}

/** A request for slots of keys. Real time, epoch milliseconds. */
export interface KeySlotsAsk {
  /** Names the run. */
  readonly run: string;
  /** Slots that the run could use, by the key's short name (`[0-9a-z]{1,7}`), each 1 to `most`. At most a few hundred keys. */
  readonly wanted: ReadonlyMap<string, number>;
  /** The limit of each key for all runs together. */
  readonly most: number;
  /** The caller's time: slots that ran out before are free. */
  readonly now: number;
  /** The time at which the slots run out, unless they are renewed: by asking again. */
  readonly until: number;
}

/** The item of a queue in the control table. */
export interface QueueState {
  /** An operator has stopped the queue. */
  readonly paused: boolean;
  /** The time of the pause, ISO-8601; absent where it is not known. */
  readonly pausedAt?: string | undefined;
  /** The time until which the pause was announced, ISO-8601; absent without one. */
  readonly pausedUntil?: string | undefined;
  /** The reason of the pause; absent without one. */
  readonly pauseReason?: string | undefined;
  /** The name of the operator; absent where it is not known. */
  readonly pausedBy?: string | undefined;
  /** The end of its last pause, ISO-8601; absent before the first one. */
  readonly resumedAt?: string | undefined;
  /** The notes of what fails (`failing-text.ts`), as they are stored. */
  readonly failing?: string | undefined;
  /** The keys that have lanes of their own (`busy-keys.ts`), as they are stored. */
  readonly busyKeys?: string | undefined;
  /** The keys that an operator has paused (`key-pauses.ts`), as they are stored. */
  readonly pausedKeys?: string | undefined;
  /** The queue's retry mode; absent until a run has noted it. */
  readonly retryMode?: RetryModeState | undefined;
  /** The stored retry mode is not valid. */
  readonly isRetryModeDamaged?: true | undefined;
  /** The latest runs, by the tier's number; `3/1` is tier 3 of the second of several runs that share the queue's lanes. */
  readonly tiers: ReadonlyMap<string, TierRun>;
  /** The breakers that are not closed, by destination: `MAX_OPEN_BREAKERS` at most. */
  readonly breakers: ReadonlyMap<string, BreakerState>;
}
