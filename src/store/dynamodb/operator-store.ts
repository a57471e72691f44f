import type { Clock } from '../../support/clock.js';
import type { JobStore } from '../job-store.js';
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
import type { ActiveRegion, LeaseState } from '../store.js';
import { DynamoDbControl } from './control.js';
import type { OnDamaged } from './control-values.js';
import { and, Expressions, or } from './expressions.js';
import { DynamoDbJobs } from './jobs.js';
import { DynamoDbLeases } from './leases.js';
import { OperatorPages } from './operator-pages.js';
import { OperatorQueues } from './operator-queues.js';
import { DynamoDbOperatorRecords } from './operator-records.js';
import { Readings } from './readings.js';
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
