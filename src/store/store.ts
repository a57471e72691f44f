import type { BacklogRecord, Item, RecordChange } from '../record/index.js';
import type { ActiveRegion, Registry } from './registry-types.js';
import type {
  ArrivalsClaim,
  BreakerState,
  ClaimAnswer,
  ClaimedArrivals,
  DuePage,
  DueQuery,
  LeaseAnswer,
  LeaseHold,
  LeaseLeft,
  LeaseOwner,
  LeaseState,
  LostRun,
  NamedClaim,
  NotIndexedPage,
  PageRead,
  Permits,
  QueueState,
  RetryModeState,
  ScanPage,
  SlotsAsk,
  SlotsHeld,
  SweepState,
  TierRun,
} from './store-types.js';

export type * from './registry-types.js';
export type * from './store-types.js';

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
   * Ends the lease of a lost run; its journal, suspects and cursor stay. Returns how many holders were lost since one gave the
   * lease back, this one included; undefined: the run does not hold it, or it has ended before.
   */
  endLease(key: string, lost: LostRun): Promise<number | undefined>;

  /**
   * Claims records that are not indexed, so that only one run works on them: a run that attempts or indexes them must
   * have claimed them. Of two claims that name the same record, made at the same time, at least one is refused.
   */
  claimArrivals(queue: string, claim: ArrivalsClaim): Promise<ClaimAnswer>;
  /** Ends a claim. One that is gone or another's is left alone. */
  releaseArrivals(queue: string, claim: NamedClaim): Promise<void>;
  /** Ends the claims of a lost run, and returns how many they were. */
  endClaims(queue: string, lost: LostRun): Promise<number>;
  /**
   * Which of these records are claimed in any of these queues, by claims that have not run out at `now` (real time).
   */
  claimedArrivals(queues: readonly string[], ids: readonly string[], now: number): Promise<ClaimedArrivals>;

  /** The owners of the queues, read strongly. */
  readRegistry(): Promise<Registry>;
  /**
   * Writes the whole registry, if its `rev` is still the one that was read. True also if this very write had taken effect
   * before and only its answer was lost.
   */
  writeRegistry(next: Registry, read: string): Promise<boolean>;
  /** The region that an operator has made the active one, read strongly; `undefined`: none has. */
  readActiveRegion(): Promise<ActiveRegion | undefined>;

  /** Notes how the queue retries since when; `false` if it is no longer as it was read. */
  setRetryMode(queue: string, next: RetryModeState, read: RetryModeState | undefined): Promise<boolean>;
  /** Notes how the run of a tier ended. */
  recordTierRun(queue: string, tier: string, run: TierRun): Promise<void>;
  /**
   * Opens, holds or closes (`next` undefined) the breaker of a destination; `false` if it is no longer as it was
   * read, or would open while `MAX_OPEN_BREAKERS` of its queue are open.
   */
  setBreaker(
    queue: string,
    destination: string,
    next: BreakerState | undefined,
    read: BreakerState | undefined,
  ): Promise<boolean>;
  /**
   * Acquires the queue's next permits to start attempts, which no other run has then: the first one comes at once, or when
   * all that were acquired before are over. Returns when that is (real time); undefined if it were later than `latest`.
   */
  acquirePermits(queue: string, permits: Permits): Promise<number | undefined>;
  /**
   * Takes as many as are free, up to what is wanted: 0 if there are none, or too many ask at once. The same run may ask
   * again.
   */
  takeSlots(queue: string, ask: SlotsAsk): Promise<number>;
  /** False: the run has none any more. */
  renewSlots(queue: string, run: string, until: number): Promise<boolean>;
  /** Gives the slots of a run back. Those that ran out are left alone. */
  releaseSlots(queue: string, run: string, slots: SlotsHeld): Promise<void>;
  /** Gives back the slots that a lost run has in these queues, and returns in how many of them it had any. */
  endSlots(queues: readonly string[], lost: LostRun): Promise<number>;
}

/** What the sweep needs beside. Kept apart, so that no function that attempts records loads it. */
export interface SweepStore extends BacklogStore {
  /** One page of the whole table, of the records that wait and are not indexed: exactly one request. */
  scanNotIndexed(page: ScanPage): Promise<NotIndexedPage>;
  /** How far the search for such records has come; `undefined` before the first one. */
  readSweep(): Promise<SweepState | undefined>;
  /** Stores how far it has come. */
  writeSweep(state: SweepState): Promise<void>;
}
