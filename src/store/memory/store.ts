import { type Clock, LAST_TIME, toIso } from '../../clock.js';
import type { BacklogRecord, Item, RecordChange } from '../../record/index.js';
import type {
  ControlState,
  CountedPage,
  CountQuery,
  Exclusive,
  Found,
  ItemsPage,
  ItemsScan,
  OperatorChange,
  OperatorStore,
} from '../operator-store.js';
import type {
  ActiveRegion,
  ArrivalsClaim,
  BreakerState,
  ClaimAnswer,
  ClaimedArrivals,
  DuePage,
  DueQuery,
  IndexKey,
  LeaseAnswer,
  LeaseHold,
  LeaseLeft,
  LeaseOwner,
  LeaseState,
  ListFilter,
  NamedClaim,
  NotIndexedPage,
  PageRead,
  Permits,
  QueueState,
  Registry,
  RetryModeState,
  ScanPage,
  SlotsAsk,
  SlotsHeld,
  SweepState,
  TierRun,
} from '../store.js';
import { MemoryArrivals } from './arrivals.js';
import { MemoryLeases } from './leases.js';
import { MemoryQueues } from './queues.js';
import { isAsRead, isAsReadWithStatus, MemoryRecords } from './records.js';

/** @inline */
export interface MemoryStoreDeps {
  /** Tells the backlog's time; `systemClock`, or a test's. */
  readonly clock: Clock;
}

/**
 * The backlog in memory, for tests and simulations: the same semantics as on DynamoDB, with an index that is never
 * stale. What goes in is copied and frozen, so no caller shares state with the store.
 */
export class MemoryStore implements OperatorStore {
  private readonly clock: Clock;
  private readonly records: MemoryRecords;
  private readonly leases = new MemoryLeases();
  private readonly queues = new MemoryQueues();
  private readonly arrivals = new MemoryArrivals();
  private readonly readings = new Map<string, Item>();
  private sweep: SweepState | undefined;

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

  async *list({ queue, status }: ListFilter): AsyncGenerator<BacklogRecord> {
    for (const item of this.items()) {
      const { record } = this.records.found(item);
      if (queue !== undefined && record.queue !== queue) continue;
      if (status !== undefined && record.status !== status) continue;
      yield record;
    }
  }

  async queryDue(query: DueQuery): Promise<DuePage> {
    return this.records.query(query);
  }

  async readPage(ids: readonly string[], queue: string): Promise<PageRead> {
    return { records: await this.readRecords(ids), queue: this.queues.read(queue) };
  }

  async readRecords(ids: readonly string[]): Promise<BacklogRecord[]> {
    return this.records.find(ids).map(({ record }) => record);
  }

  async readQueue(queue: string): Promise<QueueState> {
    return this.queues.read(queue);
  }

  async settle(record: BacklogRecord, change: RecordChange, rev: string): Promise<'settled' | 'changed'> {
    return this.records.write(record, change, rev, isAsRead);
  }

  async change(record: BacklogRecord, change: OperatorChange, rev: string): Promise<'settled' | 'changed'> {
    return this.records.write(record, change, rev, isAsReadWithStatus);
  }

  async remove(record: BacklogRecord): Promise<'removed' | 'changed'> {
    return this.records.remove(record);
  }

  async readItems(ids: readonly string[], _consistency?: 'strong' | 'eventual'): Promise<Found[]> {
    return this.records.find(ids);
  }

  /** All of it in the last of the segments. */
  async scanItems({ segment, segments, after, limit }: ItemsScan): Promise<ItemsPage> {
    const all = segment < segments - 1 ? [] : this.items();
    const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const items = all.slice(start, limit === undefined ? undefined : start + limit);
    const isEnd = start + items.length >= all.length;
    return {
      found: items.map((item) => this.records.found(item)),
      next: isEnd ? undefined : String(items.at(-1)?.id),
    };
  }

  async countDue({ lane, from, until = LAST_TIME, after }: CountQuery): Promise<CountedPage> {
    const query = {
      lane,
      from,
      until,
      after,
      order: 'oldestFirst',
      limit: Number.POSITIVE_INFINITY,
    } as const;
    return { count: this.records.query(query).keys.length, next: undefined as IndexKey | undefined };
  }

  async readLease(key: string): Promise<LeaseState | undefined> {
    return this.leases.held().get(key);
  }

  async readLeases(): Promise<ReadonlyMap<string, LeaseState>> {
    return this.leases.held();
  }

  async readQueues(): Promise<ReadonlyMap<string, QueueState>> {
    const claimed = [...this.arrivals.queueNames()].map((name) => [name, this.queues.read(name)] as const);
    return new Map([...claimed, ...this.queues.all()]);
  }

  async readControl(): Promise<ControlState> {
    const [queues, leases] = await Promise.all([this.readQueues(), this.readLeases()]);
    const { primaryRegion } = this.queues.readRegistry();
    const { activeRegion } = this.queues;
    return { queues, leases, readings: new Map(this.readings), primaryRegion, activeRegion };
  }

  async writeReading(queue: string, reading: Item): Promise<void> {
    this.readings.set(queue, structuredClone(reading));
  }

  async readReading(queue: string): Promise<Item | undefined> {
    return this.readings.get(queue);
  }

  async setPaused(queue: string, paused: boolean): Promise<boolean> {
    return this.queues.setPaused(queue, paused, toIso(this.clock.now()));
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

  async claimArrivals(queue: string, claim: ArrivalsClaim): Promise<ClaimAnswer> {
    return this.arrivals.claim(queue, claim);
  }

  async releaseArrivals(queue: string, claim: NamedClaim): Promise<void> {
    this.arrivals.release(queue, claim);
  }

  async claimedArrivals(
    queues: readonly string[],
    ids: readonly string[],
    now: number,
  ): Promise<ClaimedArrivals> {
    return this.arrivals.claimed(queues, ids, now);
  }

  /** All of it at once, in the last of the segments. */
  async scanNotIndexed({ segment, segments }: ScanPage): Promise<NotIndexedPage> {
    return { ids: segment < segments - 1 ? [] : this.records.notIndexed(), next: undefined };
  }

  async readSweep(): Promise<SweepState | undefined> {
    return this.sweep;
  }

  async writeSweep(state: SweepState): Promise<void> {
    this.sweep = state;
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

  async writeActiveRegion(next: ActiveRegion, read: ActiveRegion | undefined): Promise<boolean> {
    return this.queues.writeActiveRegion(next, read);
  }

  async readRuns(): Promise<readonly Exclusive[]> {
    const leases = [...this.leases.held()].map(([name, { until }]) => ({ name, until }));
    return [...leases, ...this.arrivals.untils()];
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

  async readSharedBreaker(queue: string, destination: string): Promise<BreakerState | undefined> {
    return this.queues.readSharedBreaker(queue, destination);
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

  async releaseSlots(queue: string, run: string, _: SlotsHeld): Promise<void> {
    this.queues.releaseSlots(queue, run);
  }

  /** When the first record of a lane is due, ISO-8601; undefined if the lane is empty. Nothing is due before. */
  earliestDue(lane: string): string | undefined {
    return this.records.earliestDue(lane);
  }

  /** As it is now, where it is not closed. */
  breakerOf(queue: string, destination = '*'): BreakerState | undefined {
    return this.queues.read(queue).breakers.get(destination);
  }

  /** Lanes that hold anything. */
  lanes(): string[] {
    return this.records.laneNames();
  }

  /** An item as it is in the table, frozen. */
  item(id: string): Item | undefined {
    return this.records.find([id])[0]?.item;
  }

  /** Every item as it is in the table, frozen. */
  items(): Item[] {
    return [...this.records.all()];
  }

  /** Writes an item as a foreign producer would: unconditionally, and with whatever it likes. */
  put(item: Item): void {
    this.records.put(item);
  }

  /** Removes a record, as DynamoDB's TTL does. */
  delete(id: string): void {
    this.records.delete(id);
  }
}
