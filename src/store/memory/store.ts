import type { BacklogRecord, Item } from '../../record/index.js';
import { LAST_TIME, toIso } from '../../support/clock.js';
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
  BreakerState,
  IndexKey,
  LeaseState,
  ListFilter,
  NotIndexedPage,
  QueueState,
  ScanPage,
  SweepState,
} from '../store.js';
import { MemoryRunStore } from './run-store.js';

export type { MemoryStoreDeps } from './run-store.js';

/**
 * The backlog in memory, for tests and simulations: the same semantics as on DynamoDB, with an index that is never
 * stale. What goes in is copied and frozen, so no caller shares state with the store.
 */
export class MemoryStore extends MemoryRunStore implements OperatorStore {
  private readonly readings = new Map<string, Item>();
  private sweep: SweepState | undefined;

  async *list({ queue, status }: ListFilter): AsyncGenerator<BacklogRecord> {
    for (const item of this.items()) {
      const { record } = this.records.found(item);
      if (queue !== undefined && record.queue !== queue) continue;
      if (status !== undefined && record.status !== status) continue;
      yield record;
    }
  }

  async change(record: BacklogRecord, change: OperatorChange, rev: string): Promise<'settled' | 'changed'> {
    return this.records.write(record, change, rev);
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
    const { activeRegion } = this.queues;
    const registry = this.queues.readRegistry();
    return { queues, leases, readings: new Map(this.readings), registry, activeRegion };
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

  async writeActiveRegion(next: ActiveRegion, read: ActiveRegion | undefined): Promise<boolean> {
    return this.queues.writeActiveRegion(next, read);
  }

  async readRuns(): Promise<readonly Exclusive[]> {
    const leases = [...this.leases.held()].map(([name, { until }]) => ({ name, until }));
    return [...leases, ...this.arrivals.untils()];
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
