import type { BacklogRecord, Item, RecordChange } from '../../record/index.js';
import type { Clock } from '../../support/clock.js';
import type {
  ActiveRegion,
  ArrivalsClaim,
  BacklogStore,
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
  PageRead,
  Permits,
  QueueState,
  Registry,
  RetryModeState,
  SlotsAsk,
  SlotsHeld,
  TierRun,
} from '../store.js';
import { MemoryArrivals } from './arrivals.js';
import { ownCopy } from './freeze.js';
import { MemoryLeases } from './leases.js';
import { MemoryQueues } from './queues.js';
import { MemoryRecords } from './records.js';

/** @inline */
export interface MemoryStoreDeps {
  /** Tells the backlog's time; `systemClock`, or a test's. */
  readonly clock: Clock;
}

/** What runs do, on a store in memory. */
export class MemoryRunStore implements BacklogStore {
  /** @internal */
  protected readonly clock: Clock;
  /** @internal */
  protected readonly records: MemoryRecords;
  /** @internal */
  protected readonly leases = new MemoryLeases();
  /** @internal */
  protected readonly queues = new MemoryQueues();
  /** @internal */
  protected readonly arrivals = new MemoryArrivals();

  constructor({ clock }: MemoryStoreDeps) {
    this.clock = clock;
    this.records = new MemoryRecords(clock);
  }

  async insert(item: Item): Promise<'inserted' | 'duplicate'> {
    return this.records.insert(item);
  }

  async get(id: string): Promise<BacklogRecord | undefined> {
    return this.records.find([id])[0]?.record;
  }

  async queryDue(query: DueQuery): Promise<DuePage> {
    return this.records.query(query);
  }

  async readPage(ids: readonly string[], queue: string): Promise<PageRead> {
    return { records: await this.readRecords(ids), queue: this.queues.read(queue) };
  }

  async readRecords(ids: readonly string[]): Promise<BacklogRecord[]> {
    return this.records.find(ids).map(({ record }) => ({
      ...record,
      payload: ownCopy(record.payload),
      attributes: ownCopy(record.attributes),
    }));
  }

  async readQueue(queue: string): Promise<QueueState> {
    return this.queues.read(queue);
  }

  async settle(record: BacklogRecord, change: RecordChange, rev: string): Promise<'settled' | 'changed'> {
    return this.records.write(record, change, rev);
  }

  async holdLease(key: string, hold: LeaseHold): Promise<LeaseAnswer> {
    return this.leases.hold(key, hold);
  }

  async takeOverLease(key: string, from: LeaseState, to: LeaseOwner): Promise<LeaseState | undefined> {
    return this.leases.takeOver(key, from, to);
  }

  async wakeHolder(key: string, holder: string): Promise<boolean> {
    return this.leases.wake(key, holder);
  }

  async acknowledgeWake(key: string, holder: string): Promise<boolean> {
    return this.leases.acknowledgeWake(key, holder);
  }

  async releaseLease(key: string, holder: string, left: LeaseLeft): Promise<'released' | 'woken' | 'lost'> {
    return this.leases.release(key, holder, left);
  }

  async endLease(key: string, lost: LostRun): Promise<number | undefined> {
    return this.leases.end(key, lost);
  }

  async claimArrivals(queue: string, claim: ArrivalsClaim): Promise<ClaimAnswer> {
    return this.arrivals.claim(queue, claim);
  }

  async releaseArrivals(queue: string, claim: NamedClaim): Promise<void> {
    this.arrivals.release(queue, claim);
  }

  async endClaims(queue: string, lost: LostRun): Promise<number> {
    return this.arrivals.end(queue, lost);
  }

  async claimedArrivals(
    queues: readonly string[],
    ids: readonly string[],
    now: number,
  ): Promise<ClaimedArrivals> {
    return this.arrivals.claimed(queues, ids, now);
  }

  async readRegistry(): Promise<Registry> {
    return this.queues.readRegistry();
  }

  async writeRegistry(next: Registry, read: string): Promise<boolean> {
    return this.queues.writeRegistry(next, read);
  }

  async readActiveRegion(): Promise<ActiveRegion | undefined> {
    return this.queues.activeRegion;
  }

  async setRetryMode(
    queue: string,
    next: RetryModeState,
    read: RetryModeState | undefined,
  ): Promise<boolean> {
    return this.queues.setRetryMode(queue, next, read);
  }

  async recordTierRun(queue: string, tier: string, run: TierRun): Promise<void> {
    this.queues.recordTierRun(queue, tier, run);
  }

  async setBreaker(
    queue: string,
    destination: string,
    next: BreakerState | undefined,
    read: BreakerState | undefined,
  ): Promise<boolean> {
    return this.queues.setBreaker(queue, destination, next, read);
  }

  async acquirePermits(queue: string, permits: Permits): Promise<number | undefined> {
    return this.queues.acquirePermits(queue, permits);
  }

  async takeSlots(queue: string, ask: SlotsAsk): Promise<number> {
    return this.queues.takeSlots(queue, ask);
  }

  async renewSlots(queue: string, run: string, until: number): Promise<boolean> {
    return this.queues.renewSlots(queue, run, until);
  }

  async releaseSlots(queue: string, run: string, slots: SlotsHeld): Promise<void> {
    this.queues.releaseSlots(queue, run, slots);
  }

  async endSlots(queues: readonly string[], lost: LostRun): Promise<number> {
    return queues.reduce((sum, queue) => sum + this.queues.endSlots(queue, lost), 0);
  }
}
