import type { Item } from '../../record/index.js';
import { type Clock, toIso } from '../../support/clock.js';
import type { JobStore } from '../job-store.js';
import type {
  ControlStore,
  CountedPage,
  CountQuery,
  OperatorActiveRegionStore,
  OperatorLeaseStore,
  OperatorPageStore,
  OperatorQueueStore,
  OperatorRecordStore,
  OperatorStore,
  PauseNote,
  ReadingStore,
} from '../operator-store.js';
import type { ActiveRegion, IndexKey, LeaseState, QueueState } from '../store.js';
import { DynamoDbControl } from './control.js';
import { isMap, type OnDamaged, queueKey, readingKey } from './control-values.js';
import { and, Expressions, or } from './expressions.js';
import { DynamoDbJobs } from './jobs.js';
import { DynamoDbLeases } from './leases.js';
import { DynamoDbOperatorRecords } from './operator-records.js';
import { DUE_INDEX, DynamoDbPages, indexKey } from './pages.js';
import { DynamoDbQueues } from './queues.js';
import { DynamoDbActiveRegion, REGION_KEY } from './registry.js';
import { type DynamoDbStoreDeps, tablesOf } from './store.js';
import { DynamoDbSweepStore } from './sweep.js';
import type { Table } from './table.js';

/** The store with what operators need beside. */
export class DynamoDbOperatorStore extends DynamoDbSweepStore implements OperatorStore {
  override readonly records: OperatorRecordStore;
  override readonly pages: OperatorPageStore;
  override readonly leases: OperatorLeaseStore;
  override readonly queues: OperatorQueueStore;
  override readonly activeRegion: OperatorActiveRegionStore;
  readonly control: ControlStore;
  readonly readings: ReadingStore;
  readonly jobs: JobStore;

  constructor(deps: DynamoDbStoreDeps) {
    super(deps);
    const { clock, groupWrites = true, onDamaged = () => {} } = deps;
    const tables = tablesOf(deps);
    const control = new DynamoDbControl(tables.control);
    const records = new DynamoDbOperatorRecords(tables.records, clock, groupWrites);
    const queues = new OperatorQueues(tables.control, control, clock);
    this.records = records;
    this.pages = new OperatorPages(tables.records, records, queues);
    this.leases = new OperatorLeases(tables.control, control, clock, onDamaged);
    this.queues = queues;
    this.activeRegion = new OperatorActiveRegion(tables.control, onDamaged);
    this.control = control;
    this.readings = new Readings(tables.control);
    this.jobs = new DynamoDbJobs(tables.control, () => control.readJobs());
  }
}

class OperatorPages extends DynamoDbPages implements OperatorPageStore {
  async count({ lane, from, until, after }: CountQuery): Promise<CountedPage> {
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
    const answer = await this.table.query({
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
}

class OperatorLeases extends DynamoDbLeases implements OperatorLeaseStore {
  constructor(
    table: Table,
    private readonly control: DynamoDbControl,
    clock: Clock,
    onDamaged: OnDamaged,
  ) {
    super(table, clock, onDamaged);
  }

  readAll(): Promise<ReadonlyMap<string, LeaseState>> {
    return this.control.readLeases();
  }
}

const NOTE = ['pausedUntil', 'pauseReason', 'pausedBy'] as const;

class OperatorQueues extends DynamoDbQueues implements OperatorQueueStore {
  constructor(
    table: Table,
    private readonly control: DynamoDbControl,
    private readonly clock: Clock,
  ) {
    super(table);
  }

  readAll(): Promise<ReadonlyMap<string, QueueState>> {
    return this.control.readQueues();
  }

  async setPaused(queue: string, paused: boolean, note: PauseNote = {}): Promise<boolean> {
    if (paused) return (await this.begin(queue, note)) || (await this.changeNote(queue, note));
    const expressions = new Expressions();
    const set = { resumedAt: toIso(this.clock.now()) };
    const remove = ['paused', 'pausedAt', ...NOTE];
    const update = expressions.update(set, remove, expressions.equal('paused', true));
    return (await this.table.update(queueKey(queue), update)).written;
  }

  notePausedKeys(queue: string, next: string | undefined, read: string | undefined): Promise<boolean> {
    return this.noteText(queue, 'pausedKeys', next, read);
  }

  private async begin(queue: string, note: PauseNote): Promise<boolean> {
    const expressions = new Expressions();
    const set = { ...note, paused: true, pausedAt: toIso(this.clock.now()) };
    const remove = ['resumedAt', ...NOTE.filter((name) => note[name] === undefined)];
    const update = expressions.update(set, remove, `NOT ${expressions.equal('paused', true)}`);
    return (await this.table.update(queueKey(queue), update)).written;
  }

  private async changeNote(queue: string, note: PauseNote): Promise<boolean> {
    const expressions = new Expressions();
    // The name alone changes nothing: the reason that stands is another one's.
    const given = NOTE.filter((name) => name !== 'pausedBy' && note[name] !== undefined);
    if (given.length === 0) return false;
    const isOther = or(...given.map((name) => `NOT ${expressions.equal(name, note[name])}`));
    const isPaused = expressions.equal('paused', true);
    const update = expressions.update({ ...note }, [], and(isPaused, isOther));
    return (await this.table.update(queueKey(queue), update)).written;
  }
}

class OperatorActiveRegion extends DynamoDbActiveRegion implements OperatorActiveRegionStore {
  async write(next: ActiveRegion, read: ActiveRegion | undefined): Promise<boolean> {
    const expressions = new Expressions();
    const isThat = ({ region, from, at }: ActiveRegion) =>
      and(expressions.equal('region', region), expressions.equal('from', from), expressions.equal('at', at));
    // The answer to a first try was lost, and the client has repeated it.
    const condition = read && or(isThat(read), isThat(next));
    const update = expressions.update({ ...next }, [], condition);
    return (await this.table.update(REGION_KEY, update)).written;
  }
}

class Readings implements ReadingStore {
  constructor(private readonly table: Table) {}

  async write(queue: string, reading: Item): Promise<void> {
    await this.table.update(readingKey(queue), new Expressions().update({ reading }, []));
  }

  async read(queue: string): Promise<Item | undefined> {
    const item = await this.table.get(readingKey(queue));
    return isMap(item?.reading) ? item.reading : undefined;
  }
}
