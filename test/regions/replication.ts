import type { Item } from '../../src/record/index.js';
import type { MemoryStore } from '../../src/store/index.js';
import type { MemorySharedItems } from '../../src/store/memory/shared-items.js';
import type { OperatorStore } from '../../src/store/operator-store.js';
import type { Random } from '../../src/support/random.js';
import type { VirtualTime } from '../../src/support/virtual-time.js';
import { between, chance } from '../simulation/random.js';
import { replacing } from '../simulation/replacing.js';

/** One write of one item, on its way to the other replica. */
interface Change {
  readonly key: string;
  /** Writes are in the order in which they were made, in whichever region: no two have the same time. */
  readonly order: number;
  readonly apply: (to: Replica) => void;
}

export interface Lags {
  /** The share of writes that take longer than five seconds. */
  readonly late: number;
  readonly latestMs: number;
}

const REGION_KEY = 'region';

/**
 * Two replicas, as a global table with eventual consistency has them. Each write takes effect where it is made. Some time later
 * it takes effect in the other replica, unless that has a later write of the item by then.
 *
 * The registry, the active region and lines are all of the control table that is replicated. That is the worst case: leases, claims and
 * journals of the other region are never seen, and keep nothing from being attempted.
 */
export class Replication {
  /** Nothing arrives, in either direction. What is written waits. */
  isStill = false;
  private writes = 0;
  private held: (() => void)[] = [];

  constructor(
    readonly time: VirtualTime,
    private readonly random: Random,
    private readonly lags: Lags,
  ) {}

  nextOrder(): number {
    return ++this.writes;
  }

  /** Makes a change arrive some time later. While replication is still, the change waits. */
  bring(arrive: () => void): void {
    const late = chance(this.random, this.lags.late);
    const lagMs = late ? between(this.random, 5_000, this.lags.latestMs) : between(this.random, 100, 5_000);
    this.time.after(lagMs, () => {
      if (this.isStill) this.held.push(() => this.bring(arrive));
      else arrive();
    });
  }

  goOn(): void {
    this.isStill = false;
    for (const bring of this.held.splice(0)) bring();
  }
}

/** One region's replica of both tables. */
export class Replica {
  private readonly orders = new Map<string, number>();
  private readonly underway = new Set<Change>();
  private other: Replica | undefined;
  /** The stream of this replica, which has the writes of both. */
  onWritten: (kind: 'INSERT' | 'MODIFY', item: Item, before: Item | undefined) => void = () => {};
  /** An item was written here, by this region. */
  onOwnWrite: (item: Item, before: Item | undefined) => void = () => {};
  /** Another region's word on which one is active has arrived. */
  onRegion: () => void = () => {};

  constructor(
    readonly store: MemoryStore,
    private readonly replication: Replication,
  ) {}

  joins(other: Replica): void {
    this.other = other;
    other.other = this;
  }

  item(id: string): Item | undefined {
    return this.store.items().find((item) => item.id === id);
  }

  /** Ids of records whose last writes have not reached the other replica. */
  leftBehind(): ReadonlySet<string> {
    return new Set([...this.underway].map(({ key }) => key));
  }

  /** Puts an item as a producer does, whatever was there. */
  put(item: Item): void {
    const before = this.item(String(item.id));
    this.store.put(item);
    this.wrote(String(item.id), before);
  }

  /** The tables as functions and operators of this region use them. */
  tables(): OperatorStore {
    const { store } = this;
    const writing = <T>(id: unknown, write: () => T): T => {
      const before = this.item(String(id));
      const answer = write();
      if (this.item(String(id)) !== before) this.wrote(String(id), before);
      return answer;
    };
    const control = <T>(key: string, write: () => T, copy: (to: MemoryStore) => void): T => {
      const answer = write();
      this.send({ key, order: this.replication.nextOrder(), apply: (to) => copy(to.store) });
      return answer;
    };
    const lines = store.lines as MemorySharedItems;
    const line = (key: string) => {
      const item = lines.item(key);
      return control(
        key,
        () => true,
        (to) => (item ? (to.lines as MemorySharedItems).put(key, item) : void to.lines.remove(key)),
      );
    };
    return replacing(
      {
        lines: {
          write: async (key, ...rest) => (await lines.write(key, ...rest)) && line(key),
          remove: async (key, ...rest) => {
            await lines.remove(key, ...rest);
            line(key);
          },
        },
        records: {
          insert: (item) => writing(item.id, () => store.records.insert(item)),
          settle: (record, change, rev) =>
            writing(record.id, () => store.records.settle(record, change, rev)),
        },
        registry: {
          write: async (next, read) => {
            const written = await store.registry.write(next, read);
            const copy = async (to: MemoryStore) => to.registry.write(next, (await to.registry.read()).rev);
            return written && control('registry', () => true, copy);
          },
        },
        activeRegion: {
          write: async (next, read) => {
            const written = await store.activeRegion.write(next, read);
            const copy = (to: MemoryStore) => void to.activeRegion.write(next, undefined);
            return written && control(REGION_KEY, () => true, copy);
          },
        },
      },
      store,
    );
  }

  private wrote(id: string, before: Item | undefined): void {
    const item = this.item(id);
    if (!item) return;
    this.onOwnWrite(item, before);
    this.onWritten(before ? 'MODIFY' : 'INSERT', item, before);
    this.send({ key: id, order: this.replication.nextOrder(), apply: (to) => to.receivesItem(item) });
  }

  private send(change: Change): void {
    const { other } = this;
    this.orders.set(change.key, change.order);
    if (!other) return;
    this.underway.add(change);
    this.replication.bring(() => {
      this.underway.delete(change);
      other.receive(change);
    });
  }

  private receive(change: Change): void {
    const { key, order } = change;
    if ((this.orders.get(key) ?? 0) > order) return;
    this.orders.set(key, order);
    change.apply(this);
    if (key === REGION_KEY) this.onRegion();
  }

  private receivesItem(item: Item): void {
    const before = this.item(String(item.id));
    this.store.put(item);
    this.onWritten(before ? 'MODIFY' : 'INSERT', item, before);
  }
}
