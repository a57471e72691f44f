import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { BacklogRecord, Item, RecordChange } from '../../record/index.js';
import type { Clock } from '../../support/clock.js';
import { type Random, systemRandom } from '../../support/random.js';
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
import { DynamoDbArrivals } from './arrivals.js';
import { DynamoDbBreakers } from './breakers.js';
import { CapacityMeter, type OnConsumed } from './capacity.js';
import type { OnDamaged } from './control-values.js';
import { DynamoDbIndex } from './due.js';
import { DynamoDbLeases } from './leases.js';
import { DynamoDbPermits } from './permits.js';
import { DynamoDbQueues } from './queues.js';
import { DynamoDbRecords } from './records.js';
import { readActiveRegion, readRegistry, writeRegistry } from './registry.js';
import { DynamoDbSlots } from './slots.js';
import { Table } from './table.js';

/** @inline */
export interface DynamoDbStoreDeps {
  /** A client of the AWS SDK, such as `createDynamoDbClient` makes. */
  readonly client: DynamoDBClient;
  /** Names of the two tables; the construct `Backlog` creates them. */
  readonly tables: {
    /** Partition key `id`, index `due`. */
    readonly records: string;
    /** Partition key `key`. */
    readonly control: string;
  };
  /** Tells both times; `systemClock`, or a test's. */
  readonly clock: Clock;
  /** Spreads the repetitions of batch reads. Default: the system's. */
  readonly random?: Random | undefined;
  /** Called for each request with what it cost. */
  readonly onConsumed?: OnConsumed | undefined;
  /** Called when attributes of a control item are invalid, and get new values. */
  readonly onDamaged?: OnDamaged | undefined;
}

/** The backlog in two DynamoDB tables: the users' records, and a small one for leases and queues. */
export class DynamoDbStore implements BacklogStore {
  private readonly records: DynamoDbRecords;
  private readonly index: DynamoDbIndex;
  private readonly leases: DynamoDbLeases;
  private readonly queues: DynamoDbQueues;
  private readonly breakers: DynamoDbBreakers;
  private readonly permits: DynamoDbPermits;
  private readonly slots: DynamoDbSlots;
  private readonly arrivals: DynamoDbArrivals;
  private readonly control: Table;
  private readonly onDamaged: OnDamaged;

  constructor({
    client,
    tables,
    clock,
    random = systemRandom,
    onConsumed,
    onDamaged = () => {},
  }: DynamoDbStoreDeps) {
    const common = {
      client,
      meter: new CapacityMeter(onConsumed),
      clock,
      random,
    };
    const records = new Table({ ...common, name: tables.records, keyName: 'id' });
    const control = new Table({ ...common, name: tables.control, keyName: 'key' });
    this.control = control;
    this.onDamaged = onDamaged;
    this.records = new DynamoDbRecords(records, clock);
    this.index = new DynamoDbIndex(records);
    this.leases = new DynamoDbLeases(control, clock, onDamaged);
    this.queues = new DynamoDbQueues(control);
    this.breakers = new DynamoDbBreakers(control);
    this.permits = new DynamoDbPermits(control);
    this.slots = new DynamoDbSlots(control);
    this.arrivals = new DynamoDbArrivals(control, onDamaged);
  }

  insert(item: Item): Promise<'inserted' | 'duplicate'> {
    return this.records.insert(item);
  }

  get(id: string): Promise<BacklogRecord | undefined> {
    return this.records.get(id);
  }

  queryDue(query: DueQuery): Promise<DuePage> {
    return this.index.queryDue(query);
  }

  async readPage(ids: readonly string[], queue: string): Promise<PageRead> {
    const [records, state] = await Promise.all([this.records.getMany(ids), this.queues.read(queue)]);
    return { records, queue: state };
  }

  readQueue(queue: string): Promise<QueueState> {
    return this.queues.read(queue);
  }

  readRecords(ids: readonly string[]): Promise<BacklogRecord[]> {
    return this.records.getMany(ids);
  }

  settle(record: BacklogRecord, change: RecordChange, rev: string): Promise<'settled' | 'changed'> {
    return this.records.settle(record, change, rev);
  }

  holdLease(key: string, hold: LeaseHold): Promise<LeaseAnswer> {
    return this.leases.hold(key, hold);
  }

  takeOverLease(key: string, from: LeaseState, to: LeaseOwner): Promise<LeaseState | undefined> {
    return this.leases.takeOver(key, from, to);
  }

  wakeHolder(key: string, holder: string): Promise<boolean> {
    return this.leases.wake(key, holder);
  }

  acknowledgeWake(key: string, holder: string): Promise<boolean> {
    return this.leases.acknowledgeWake(key, holder);
  }

  releaseLease(key: string, holder: string, left: LeaseLeft): Promise<'released' | 'woken' | 'lost'> {
    return this.leases.release(key, holder, left);
  }

  endLease(key: string, lost: LostRun): Promise<number | undefined> {
    return this.leases.end(key, lost);
  }

  claimArrivals(queue: string, claim: ArrivalsClaim): Promise<ClaimAnswer> {
    return this.arrivals.claim(queue, claim);
  }

  releaseArrivals(queue: string, claim: NamedClaim): Promise<void> {
    return this.arrivals.release(queue, claim);
  }

  endClaims(queue: string, lost: LostRun): Promise<number> {
    return this.arrivals.end(queue, lost);
  }

  claimedArrivals(queues: readonly string[], ids: readonly string[], now: number): Promise<ClaimedArrivals> {
    return this.arrivals.claimed(queues, ids, now);
  }

  readRegistry(): Promise<Registry> {
    return readRegistry(this.control, this.onDamaged);
  }

  writeRegistry(next: Registry, read: string): Promise<boolean> {
    return writeRegistry(this.control, next, read);
  }

  readActiveRegion(): Promise<ActiveRegion | undefined> {
    return readActiveRegion(this.control, this.onDamaged);
  }

  setRetryMode(queue: string, next: RetryModeState, read: RetryModeState | undefined): Promise<boolean> {
    return this.queues.setRetryMode(queue, next, read);
  }

  recordTierRun(queue: string, tier: string, run: TierRun): Promise<void> {
    return this.queues.recordTierRun(queue, tier, run);
  }

  setBreaker(
    queue: string,
    destination: string,
    next: BreakerState | undefined,
    read: BreakerState | undefined,
  ): Promise<boolean> {
    return this.breakers.set(queue, destination, next, read);
  }

  acquirePermits(queue: string, permits: Permits): Promise<number | undefined> {
    return this.permits.acquire(queue, permits);
  }

  takeSlots(queue: string, ask: SlotsAsk): Promise<number> {
    return this.slots.take(queue, ask);
  }

  renewSlots(queue: string, run: string, until: number): Promise<boolean> {
    return this.slots.renew(queue, run, until);
  }

  releaseSlots(queue: string, run: string, slots: SlotsHeld): Promise<void> {
    return this.slots.release(queue, run, slots);
  }

  endSlots(queues: readonly string[], lost: LostRun): Promise<number> {
    return this.slots.end(queues, lost);
  }
}
