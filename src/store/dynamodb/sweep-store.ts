import { systemRandom } from '../../support/random.js';
import type { NotIndexedPage, ScanPage, SweepState, SweepStore } from '../store.js';
import { CapacityMeter } from './capacity.js';
import { DynamoDbStore, type DynamoDbStoreDeps } from './store.js';
import { DynamoDbSweep } from './sweep.js';
import { Table } from './table.js';

/** The store with what the sweep needs beside. */
export class DynamoDbSweepStore extends DynamoDbStore implements SweepStore {
  protected readonly recordsTable: Table;
  protected readonly controlTable: Table;
  private readonly sweep: DynamoDbSweep;

  constructor(deps: DynamoDbStoreDeps) {
    super(deps);
    const { client, tables, clock, random = systemRandom, onConsumed } = deps;
    const common = { client, meter: new CapacityMeter(onConsumed), clock, random };
    this.recordsTable = new Table({ ...common, name: tables.records, keyName: 'id' });
    this.controlTable = new Table({ ...common, name: tables.control, keyName: 'key' });
    this.sweep = new DynamoDbSweep(this.recordsTable, this.controlTable);
  }

  scanNotIndexed(page: ScanPage): Promise<NotIndexedPage> {
    return this.sweep.scan(page);
  }

  readSweep(): Promise<SweepState | undefined> {
    return this.sweep.read();
  }

  writeSweep(state: SweepState): Promise<void> {
    return this.sweep.write(state);
  }
}
