import { asWritten, type BacklogRecord, type Item } from '../../record/index.js';
import { toIso } from '../../support/clock.js';
import type {
  ControlState,
  CountQuery,
  Exclusive,
  Found,
  ItemsScan,
  OperatorChange,
  OperatorStore,
} from '../operator-store.js';
import type { ActiveRegion, IndexKey, LeaseState, ListFilter, QueueState } from '../store.js';
import { ARRIVALS_PREFIX, claimedQueueOf, untilsIn } from './arrivals.js';
import { toItem } from './attribute-values.js';
import { isMap, QUEUE_PREFIX, queueKey, READING_PREFIX, readingKey } from './control-values.js';
import { DUE_INDEX, indexKey } from './due.js';
import { Expressions } from './expressions.js';
import { LEASE_PREFIX, leaseKey, parseLease } from './lease-item.js';
import { listRecords } from './list.js';
import { parseQueueState } from './queues.js';
import { conditionOf, DynamoDbRecords } from './records.js';
import { parseActiveRegion, parseRegistry, REGION_KEY, REGISTRY_KEY, writeActiveRegion } from './registry.js';
import type { DynamoDbStoreDeps } from './store.js';
import { DynamoDbSweepStore } from './sweep-store.js';
import type { StoredPage } from './table.js';

/** The store with what operators need beside. */
export class DynamoDbOperatorStore extends DynamoDbSweepStore implements OperatorStore {
  private readonly single: DynamoDbRecords;
  private readonly deps: DynamoDbStoreDeps;

  constructor(deps: DynamoDbStoreDeps) {
    super(deps);
    this.deps = deps;
    this.single = new DynamoDbRecords(this.recordsTable, deps.clock);
  }

  list(filter: ListFilter): AsyncIterable<BacklogRecord> {
    return listRecords(filter, this.recordsTable, this.single);
  }

  async readItems(ids: readonly string[], consistency: 'strong' | 'eventual' = 'strong'): Promise<Found[]> {
    const items = await this.recordsTable.getManyStored(ids, consistency);
    const found = [...new Set(ids)].map((id) => items.get(id)).filter((item) => item !== undefined);
    return found.map((stored) => this.single.find(stored));
  }

  async scanItems({ segment, segments, after, limit }: ItemsScan) {
    const page = await this.recordsTable.scan({
      Segment: segment,
      TotalSegments: segments,
      ...(limit === undefined ? {} : { Limit: limit }),
      ...(after === undefined ? {} : { ExclusiveStartKey: { id: { S: after } } }),
    });
    return { found: page.items.map((stored) => this.single.find(stored)), next: page.last?.id?.S };
  }

  change(record: BacklogRecord, change: OperatorChange, rev: string): Promise<'settled' | 'changed'> {
    return this.single.change(record, change, rev);
  }

  async remove(record: BacklogRecord, rev: string): Promise<'removed' | 'changed'> {
    if (record.rev === undefined) {
      // All its attributes are its fence. They are compared once, to write a `rev` that is the fence from then on.
      const found = await this.recordsTable.getStored(record.id);
      if (!(await this.single.stamp(record, rev, found))) return this.isGone(record.id);
      return this.remove(asWritten(record, { set: {}, remove: [] }, rev), rev);
    }
    const isRemoved = await this.single.whileAsRead(record, (compare) =>
      this.recordsTable.delete(record.id, conditionOf(record, compare)),
    );
    return isRemoved ? 'removed' : this.isGone(record.id);
  }

  async countDue({ lane, from, until, after }: CountQuery) {
    const expressions = new Expressions();
    const inLane = expressions.equal('lane', lane);
    const bounds = [from, until].map((time) => time !== undefined && expressions.value(toIso(time)));
    const [least, most] = bounds;
    const dueAt = least || most ? expressions.name('dueAt') : '';
    // A sort key takes one condition.
    const inTime =
      least && most
        ? [`${dueAt} BETWEEN ${least} AND ${most}`]
        : [least ? `${dueAt} >= ${least}` : '', most ? `${dueAt} <= ${most}` : ''].filter(Boolean);
    const answer = await this.recordsTable.query({
      IndexName: DUE_INDEX,
      Select: 'COUNT',
      KeyConditionExpression: [inLane, ...inTime].join(' AND '),
      ...(after ? { ExclusiveStartKey: indexKey(after, lane) } : {}),
      ...expressions.placeholders(),
    });
    const { last, count } = answer;
    const next: IndexKey | undefined = last && { id: last.id?.S ?? '', dueAt: last.dueAt?.S ?? '' };
    return { count, next };
  }

  async readLease(key: string): Promise<LeaseState | undefined> {
    return parseLease(await this.controlTable.get(leaseKey(key)));
  }

  async readLeases(): Promise<ReadonlyMap<string, LeaseState>> {
    return leasesIn(await this.controlItems([LEASE_PREFIX]));
  }

  async readQueues(): Promise<ReadonlyMap<string, QueueState>> {
    return queuesIn(await this.controlItems([QUEUE_PREFIX, ARRIVALS_PREFIX]));
  }

  async readControl(consistency: 'strong' | 'eventual' = 'eventual'): Promise<ControlState> {
    const prefixes = [
      ...[LEASE_PREFIX, QUEUE_PREFIX, ARRIVALS_PREFIX, READING_PREFIX],
      ...[REGISTRY_KEY, REGION_KEY],
    ];
    const items = await this.controlItems(prefixes, consistency);
    const readings = items.flatMap((item): [string, Item][] => {
      const name = nameOf(item, READING_PREFIX);
      return name !== undefined && isMap(item.reading) ? [[name, item.reading]] : [];
    });
    const named = (name: string) => items.find(({ key }) => key === name);
    return {
      queues: queuesIn(items),
      leases: leasesIn(items),
      readings: new Map(readings),
      registry: parseRegistry(named(REGISTRY_KEY), () => {}),
      activeRegion: parseActiveRegion(named(REGION_KEY), () => {}),
    };
  }

  async readRuns(): Promise<readonly Exclusive[]> {
    const items = await this.controlItems([LEASE_PREFIX, ARRIVALS_PREFIX]);
    const leases = [...leasesIn(items)].map(([name, { until }]) => ({ name, until }));
    const claims = items.flatMap((item) => {
      const name = nameOf(item, ARRIVALS_PREFIX);
      return name === undefined ? [] : untilsIn(item).map((until) => ({ name, until }));
    });
    return [...leases, ...claims];
  }

  writeActiveRegion(next: ActiveRegion, read: ActiveRegion | undefined): Promise<boolean> {
    return writeActiveRegion(this.controlTable, next, read);
  }

  async writeReading(queue: string, reading: Item): Promise<void> {
    await this.controlTable.update(readingKey(queue), new Expressions().update({ reading }, []));
  }

  async readReading(queue: string): Promise<Item | undefined> {
    const item = await this.controlTable.get(readingKey(queue));
    return isMap(item?.reading) ? item.reading : undefined;
  }

  async setPaused(queue: string, paused: boolean): Promise<boolean> {
    const expressions = new Expressions();
    const set = paused ? { paused, pausedAt: toIso(this.deps.clock.now()) } : {};
    const remove = paused ? [] : ['paused', 'pausedAt'];
    const isPaused = expressions.equal('paused', true);
    const condition = paused ? `NOT ${isPaused}` : isPaused;
    return (await this.controlTable.update(queueKey(queue), expressions.update(set, remove, condition)))
      .written;
  }

  /** A few per queue: read as a whole. */
  private async controlItems(
    prefixes: readonly string[],
    consistency: 'strong' | 'eventual' = 'strong',
  ): Promise<Item[]> {
    const items: Item[] = [];
    let start: StoredPage['last'];
    do {
      const expressions = new Expressions();
      const begins = (prefix: string) =>
        `begins_with(${expressions.name('key')}, ${expressions.value(prefix)})`;
      const page = await this.controlTable.scan({
        ConsistentRead: consistency === 'strong',
        FilterExpression: prefixes.map(begins).join(' OR '),
        ...(start ? { ExclusiveStartKey: start } : {}),
        ...expressions.placeholders(),
      });
      items.push(...page.items.map(toItem));
      start = page.last;
    } while (start);
    return items;
  }

  private async isGone(id: string): Promise<'removed' | 'changed'> {
    return (await this.recordsTable.get(id, 'id')) === undefined ? 'removed' : 'changed';
  }
}

function leasesIn(items: readonly Item[]): ReadonlyMap<string, LeaseState> {
  return new Map(
    items.flatMap((item): [string, LeaseState][] => {
      const name = nameOf(item, LEASE_PREFIX);
      const lease = name === undefined ? undefined : parseLease(item);
      return name !== undefined && lease ? [[name, lease]] : [];
    }),
  );
}

/** Those that have an item, and those in which arrivals were claimed. */
function queuesIn(items: readonly Item[]): ReadonlyMap<string, QueueState> {
  const named = (prefix: string) => items.filter((item) => nameOf(item, prefix) !== undefined);
  const claimed = named(ARRIVALS_PREFIX).map(({ key }) => claimedQueueOf(String(key)));
  return new Map([
    ...claimed.map((queue) => [queue, parseQueueState(undefined)] as const),
    ...named(QUEUE_PREFIX).map((item) => [nameOf(item, QUEUE_PREFIX) ?? '', parseQueueState(item)] as const),
  ]);
}

/** Undefined: it is another kind of item. */
function nameOf({ key }: Item, prefix: string): string | undefined {
  const text = String(key);
  return text.startsWith(prefix) ? text.slice(prefix.length) : undefined;
}
