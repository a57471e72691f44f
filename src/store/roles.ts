import type { BacklogRecord, Item, RecordChange } from '../record/index.js';
import type { ActiveRegion, Registry } from './registry-types.js';
import type {
  ArrivalsClaim,
  BreakerState,
  ClaimAnswer,
  ClaimedArrivals,
  ClaimLeft,
  DuePage,
  DueQuery,
  KeySlotsAsk,
  LeaseAnswer,
  LeaseHold,
  LeaseLeft,
  LeaseOwner,
  LeaseState,
  LostRun,
  PageRead,
  Permits,
  QueueState,
  RetryModeState,
  SlotsAsk,
  SlotsHeld,
  TierRun,
} from './store-types.js';

/** The records, by their ids. */
export interface RecordStore {
  /** Stores a new item; an id that exists already is left alone. */
  insert(item: Item): Promise<'inserted' | 'duplicate'>;
  /** Reads one record, strongly. */
  get(id: string): Promise<BacklogRecord | undefined>;
  /** Reads the records of these ids, strongly. Absent ids are left out. */
  getMany(ids: readonly string[]): Promise<BacklogRecord[]>;
  /**
   * Writes a record's change and its new `rev`, if the record is still as it was read. `settled` also if this very
   * write had taken effect before and only its answer was lost. `changed`: another process wrote first; nothing is written.
   */
  settle(record: BacklogRecord, change: RecordChange, rev: string): Promise<'settled' | 'changed'>;
}

/** Pages of records: from the index, and as they are read for their attempts. */
export interface PageStore {
  /** Reads one page of the index, eventually consistent: exactly one request. */
  query(query: DueQuery): Promise<DuePage>;
  /** Reads the records of a page and the item of their queue, strongly. Absent ids are left out. */
  read(ids: readonly string[], queue: string): Promise<PageRead>;
}

/** The leases of lanes, each by its key (`RecordRules.key`). */
export interface LeaseStore {
  /** Takes the lease, or renews it, and writes the in-flight journal of a page, in one conditional write. */
  hold(key: string, hold: LeaseHold): Promise<LeaseAnswer>;
  /** Takes an expired lease from its holder with its journal and suspects kept; `undefined` if it has changed since. */
  takeOver(key: string, from: LeaseState, to: LeaseOwner): Promise<LeaseState | undefined>;
  /** Asks the holder to look once more before it releases. False if the lease is no longer that holder's. */
  wake(key: string, holder: string): Promise<boolean>;
  /** Clears the wake mark. False if the lease is not the holder's any more. */
  acknowledgeWake(key: string, holder: string): Promise<boolean>;
  /**
   * Gives the lease back with its journal cleared, unless a wake mark was set. `suspects` are left for the next holder.
   * `lost`: it is another run's. A lease that is free already counts as released: an answer may have been lost.
   */
  release(key: string, holder: string, left: LeaseLeft): Promise<'released' | 'woken' | 'lost'>;
  /**
   * Ends the lease of a lost run; its journal, suspects and cursor stay. Returns how many holders were lost since one gave the
   * lease back, this one included; undefined: the run does not hold it, or it has ended before.
   */
  end(key: string, lost: LostRun): Promise<number | undefined>;
}

/** The claims on records that are not indexed, by queue. */
export interface ClaimStore {
  /**
   * Claims records, so that only one run works on them: a run that attempts or indexes them must have claimed them. Of
   * two claims that name the same record, made at the same time, at least one is refused.
   */
  take(queue: string, claim: ArrivalsClaim): Promise<ClaimAnswer>;
  /** Ends a claim. One that is gone or another's is left alone. */
  release(queue: string, claim: ClaimLeft): Promise<void>;
  /** Ends the claims of a lost run, and returns how many they were. */
  end(queue: string, lost: LostRun): Promise<number>;
  /** Finds the records that are claimed in any of these queues, by claims that have not run out at `now` (real time). */
  find(queues: readonly string[], ids: readonly string[], now: number): Promise<ClaimedArrivals>;
}

/** The owners of the queues. */
export interface RegistryStore {
  /** Reads the whole registry, strongly. */
  read(): Promise<Registry>;
  /**
   * Writes the whole registry, if its `rev` is still the one that was read. True also if this very write had taken effect
   * before and only its answer was lost.
   */
  write(next: Registry, read: string): Promise<boolean>;
}

/** The region that an operator has made the active one. */
export interface ActiveRegionStore {
  /** Reads the active region, strongly; `undefined`: no operator has named one. */
  read(): Promise<ActiveRegion | undefined>;
}

/** The items of the queues. */
export interface QueueStore {
  /** Reads the item of a queue, strongly. A queue without an item is read as one that no run has served. */
  read(queue: string): Promise<QueueState>;
  /** Notes the queue's retry mode and its beginning; `false` if it is no longer as it was read. */
  setRetryMode(queue: string, next: RetryModeState, read: RetryModeState | undefined): Promise<boolean>;
  /** Notes the end of a tier's run. */
  recordTierRun(queue: string, tier: string, run: TierRun): Promise<void>;
  /** Notes what fails in the queue (undefined: nothing); `false` if that is neither as it was read nor noted already, by a repeat. */
  noteFailing(queue: string, next: string | undefined, read: string | undefined): Promise<boolean>;
  /** Notes the keys that have lanes of their own (undefined: none); `false` as `noteFailing`. */
  noteBusyKeys(queue: string, next: string | undefined, read: string | undefined): Promise<boolean>;
}

/** The breakers of a queue's destinations, which are read with its item. */
export interface BreakerStore {
  /**
   * Opens, holds or closes (`next` undefined) the breaker of a destination; `false` if it is no longer as it was
   * read, or would open while `MAX_OPEN_BREAKERS` of its queue are open.
   */
  set(
    queue: string,
    destination: string,
    next: BreakerState | undefined,
    read: BreakerState | undefined,
  ): Promise<boolean>;
}

/** The permits to start attempts, of queues with a rate limit for all or for each key. */
export interface PermitStore {
  /**
   * Acquires the next permits of the queue, or of a key, which no other run has then: the first one comes at once, or when all that were
   * acquired before are over. Returns when that is (real time); undefined if it were later than `latest`.
   */
  acquire(queue: string, permits: Permits): Promise<number | undefined>;
}

/** The slots of queues with a limit for the attempts of all their runs. */
export interface SlotStore {
  /**
   * Takes as many slots as are free, up to what is wanted: 0 if there are none, or too many runs ask at once. The same run
   * may ask again.
   */
  take(queue: string, ask: SlotsAsk): Promise<number>;
  /** Renews the slots of a run. False: it has none any more. */
  renew(queue: string, run: string, until: number): Promise<boolean>;
  /** Gives the slots of a run back. Those that ran out are left alone. */
  release(queue: string, run: string, slots: SlotsHeld): Promise<void>;
  /** Gives back the slots that a lost run has in these queues. Returns the number of queues in which it had any. */
  end(queues: readonly string[], lost: LostRun): Promise<number>;
}

/** The slots of keys, of queues with a limit for the attempts of each key. A run makes one request after the other. */
export interface KeySlotStore {
  /**
   * Replaces the slots that a run has: of each key as many as it wants, up to what the other runs leave. It keeps those
   * that it has and still wants. A request that is older than what stands, by its `until`, takes none of them away, unless
   * it wants nothing at all.
   *
   * @returns how many it has of each key, by the key's short name; keys of which it has none are left out. Undefined: too
   *   many runs ask at once, and it has what it had
   */
  take(queue: string, ask: KeySlotsAsk): Promise<ReadonlyMap<string, number> | undefined>;
  /** Gives all slots of a run back. Rarely, too many runs ask at once: then they run out by themselves. */
  release(queue: string, run: string): Promise<void>;
  /** Gives back the slots that a lost run has in these queues. Returns the number of queues in which it had any. */
  end(queues: readonly string[], lost: LostRun): Promise<number>;
}
