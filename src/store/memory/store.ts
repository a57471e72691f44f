import type { Item } from '../../record/index.js';
import type { Clock } from '../../support/clock.js';
import type { JobStore } from '../job-store.js';
import type { NumberedInserts } from '../numbered-inserts.js';
import type {
  ControlStore,
  OperatorActiveRegionStore,
  OperatorLeaseStore,
  OperatorPageStore,
  OperatorQueueStore,
  OperatorRecordStore,
  OperatorStore,
  ReadingStore,
} from '../operator-store.js';
import type { OperatorSharedItems } from '../shared-items.js';
import type {
  BreakerState,
  BreakerStore,
  ClaimStore,
  KeySlotStore,
  LineReader,
  NotIndexedStore,
  PermitStore,
  RegistryStore,
  SlotStore,
} from '../store.js';
import { MemoryClaims } from './claims.js';
import { MemoryControl, MemoryReadings } from './control.js';
import { MemoryJobs } from './jobs.js';
import { MemoryKeySlots } from './key-slots.js';
import { MemoryLeases } from './leases.js';
import { MemoryPermits, MemorySlots } from './limits.js';
import { MemoryNumberedInserts } from './numbered-inserts.js';
import { MemoryPages, MemorySweep } from './pages.js';
import { MemoryBreakers, MemoryQueues } from './queues.js';
import { MemoryRecords } from './records.js';
import { MemoryActiveRegion, MemoryRegistry } from './registry.js';
import { MemorySharedItems } from './shared-items.js';
import { MemoryTable } from './table.js';

/** @inline */
export interface MemoryStoreDeps {
  /** The clock of the backlog's time; `systemClock`, or a test's. */
  readonly clock: Clock;
}

/**
 * The backlog in memory, for tests and simulations: the same semantics as on DynamoDB, with an index that is never
 * stale. What goes in is copied and frozen, so no caller shares state with the store.
 */
export class MemoryStore implements OperatorStore {
  readonly records: OperatorRecordStore;
  readonly pages: OperatorPageStore;
  readonly leases: OperatorLeaseStore;
  readonly claims: ClaimStore;
  readonly queues: OperatorQueueStore;
  readonly breakers: BreakerStore;
  readonly permits: PermitStore = new MemoryPermits();
  readonly slots: SlotStore = new MemorySlots();
  readonly keySlots: KeySlotStore = new MemoryKeySlots();
  readonly registry: RegistryStore = new MemoryRegistry();
  readonly activeRegion: OperatorActiveRegionStore = new MemoryActiveRegion();
  readonly sweep: NotIndexedStore;
  readonly readings: ReadingStore;
  readonly jobs: JobStore = new MemoryJobs();
  /** The items of groups, which only those have that work with groups. */
  readonly groups: OperatorSharedItems;
  /** The items of lines, which lie beside those of groups. */
  readonly lines: OperatorSharedItems & LineReader;
  /** The insertion of records that get numbers, which only those have that number records. */
  readonly numbered: NumberedInserts;
  readonly control: ControlStore;
  private readonly table: MemoryTable;
  private readonly state: MemoryQueues;

  constructor({ clock }: MemoryStoreDeps) {
    const table = new MemoryTable(clock);
    const records = new MemoryRecords(table);
    const [leases, claims, readings] = [new MemoryLeases(), new MemoryClaims(), new MemoryReadings()];
    const queues = new MemoryQueues(claims, clock);
    const { registry, activeRegion, jobs } = this;
    const items = new MemorySharedItems();
    this.groups = items;
    this.lines = items;
    this.numbered = new MemoryNumberedInserts(table, items);
    this.table = table;
    this.state = queues;
    this.records = records;
    this.pages = new MemoryPages(table, records, queues);
    this.leases = leases;
    this.claims = claims;
    this.queues = queues;
    this.breakers = new MemoryBreakers(queues);
    this.sweep = new MemorySweep(table);
    this.readings = readings;
    this.control = new MemoryControl({
      queues,
      leases,
      claims,
      readings,
      jobs,
      lines: items,
      registry,
      activeRegion,
    });
  }

  /** The due time of a lane's first record, ISO-8601; undefined if the lane is empty. Nothing is due before. */
  earliestDue(lane: string): string | undefined {
    return this.table.earliestDue(lane);
  }

  /** The breaker of a destination as it is now; undefined if it is closed. */
  breakerOf(queue: string, destination = '*'): BreakerState | undefined {
    return this.state.stateOf(queue).breakers.get(destination);
  }

  /** Has a listener called after each write of a record: with the item before it, and the item as it is now. */
  watch(onWritten: (before: Item | undefined, after: Item | undefined) => void): void {
    this.table.onWritten = onWritten;
  }

  /** Lanes that hold records. */
  lanes(): string[] {
    return this.table.laneNames();
  }

  /** An item as it is in the table, frozen. */
  item(id: string): Item | undefined {
    return this.table.item(id);
  }

  /** Every item as it is in the table, frozen. */
  items(): Item[] {
    return [...this.table.all()];
  }

  /** Writes an item as a foreign producer would: unconditionally, with any attributes. */
  put(item: Item): void {
    this.table.put(item);
  }

  /** Removes a record, as DynamoDB's TTL does. */
  delete(id: string): void {
    this.table.delete(id);
  }
}
