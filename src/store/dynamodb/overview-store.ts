import type { OverviewStore } from '../operator-store.js';
import { DynamoDbControl } from './control.js';
import { OperatorPages } from './operator-pages.js';
import { OperatorQueues } from './operator-queues.js';
import { DynamoDbOperatorRecords } from './operator-records.js';
import { Readings } from './readings.js';
import { DynamoDbActiveRegion, DynamoDbRegistry } from './registry.js';
import { type DynamoDbStoreDeps, tablesOf } from './store.js';

/** Makes the store of the monitor, and of the overview on the dashboard. */
export function overviewStore(deps: DynamoDbStoreDeps): OverviewStore {
  const { clock, onDamaged = () => {} } = deps;
  const tables = tablesOf(deps);
  const control = new DynamoDbControl(tables.control);
  const queues = new OperatorQueues(tables.control, control, clock);
  const records = new DynamoDbOperatorRecords(tables.records, clock, false);
  return {
    ...{ queues, control, records },
    pages: new OperatorPages(tables.records, records, queues),
    readings: new Readings(tables.control),
    registry: new DynamoDbRegistry(tables.control, onDamaged),
    activeRegion: new DynamoDbActiveRegion(tables.control, onDamaged),
  };
}
