import { toIso } from '../../clock.js';
import { systemRandom } from '../../random.js';
import type { BacklogRecord, Item } from '../../record/index.js';
import type { CountQuery, Found, ItemsScan, OperatorChange, OperatorStore } from '../operator-store.js';
import type { IndexKey, LeaseState, QueueState } from '../store.js';
import { ARRIVALS_PREFIX, claimedQueueOf } from './arrivals.js';
import { toItem } from './attribute-values.js';
import { CapacityMeter } from './capacity.js';
import { QUEUE_PREFIX, queueKey } from './control-values.js';
import { DUE_INDEX, indexKey } from './due.js';
import { Expressions } from './expressions.js';
import { LEASE_PREFIX, leaseKey, parseLease } from './lease-item.js';
import { parseQueueState } from './queues.js';
import { asReadAndStatus, DynamoDbRecords } from './records.js';
import { DynamoDbStore, type DynamoDbStoreDeps } from './store.js';
import { type StoredPage, Table } from './table.js';

/** The store with what operators need beside. */
export class DynamoDbOperatorStore extends DynamoDbStore implements OperatorStore {
  private readonly recordsTable: Table;
  private readonly controlTable: Table;
  private readonly single: DynamoDbRecords;
  private readonly deps: DynamoDbStoreDeps;

  constructor(deps: DynamoDbStoreDeps) {
    super(deps);
    const { client, tables, clock, random = systemRandom, onConsumed } = deps;
    this.deps = deps;
    const common = { client, meter: new CapacityMeter(onConsumed), clock, random };
    this.recordsTable = new Table({ ...common, name: tables.records, keyName: 'id' });
    this.controlTable = new Table({ ...common, name: tables.control, keyName: 'key' });
    this.single = new DynamoDbRecords(this.recordsTable, clock);
  }

  async readItems(ids: readonly string[]): Promise<Found[]> {
    const items = await this.recordsTable.getManyStored(ids);
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
    return this.single.change(record, change, rev, asReadAndStatus);
  }

  async remove(record: BacklogRecord, rev: string): Promise<'removed' | 'changed'> {
    if (record.rev === undefined) {
      // All its attributes are its fence. They are compared once, to write a `rev` that is the fence from then on.
      const found = await this.recordsTable.getStored(record.id);
      if (!(await this.single.stamp(record, rev, found))) return this.isGone(record.id);
      return this.remove({ ...record, rev }, rev);
    }
    const expressions = new Expressions();
    const ConditionExpression = asReadAndStatus(record, expressions);
    const condition = { ConditionExpression, ...expressions.placeholders() };
    return (await this.recordsTable.delete(record.id, condition)) ? 'removed' : this.isGone(record.id);
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
    const leases = new Map<string, LeaseState>();
    for (const item of await this.controlItems(LEASE_PREFIX)) {
      const lease = parseLease(item);
      if (lease) leases.set(nameOf(item, LEASE_PREFIX), lease);
    }
    return leases;
  }

  async readQueues(): Promise<ReadonlyMap<string, QueueState>> {
    const [items, claims] = await Promise.all([
      this.controlItems(QUEUE_PREFIX),
      this.controlItems(ARRIVALS_PREFIX),
    ]);
    const states = items.map((item) => [nameOf(item, QUEUE_PREFIX), parseQueueState(item)] as const);
    const others = claims.map(
      ({ key }) => [claimedQueueOf(String(key)), parseQueueState(undefined)] as const,
    );
    return new Map([...others, ...states]);
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

  /** A few per queue: read as a whole, strongly. */
  private async controlItems(prefix: string): Promise<Item[]> {
    const items: Item[] = [];
    let start: StoredPage['last'];
    do {
      const expressions = new Expressions();
      const page = await this.controlTable.scan({
        ConsistentRead: true,
        FilterExpression: `begins_with(${expressions.name('key')}, ${expressions.value(prefix)})`,
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

function nameOf({ key }: Item, prefix: string): string {
  return String(key).slice(prefix.length);
}
