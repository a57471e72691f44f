import { LAST_TIME } from '../../support/clock.js';
import type { CountedPage, CountQuery, OperatorPageStore } from '../operator-store.js';
import type {
  DuePage,
  DueQuery,
  NotIndexedPage,
  NotIndexedStore,
  PageRead,
  ScanPage,
  SweepState,
} from '../store.js';
import type { MemoryQueues } from './queues.js';
import type { MemoryRecords } from './records.js';
import type { MemoryTable } from './table.js';

/** Pages of the index, which is never stale, and of the records with their queue. */
export class MemoryPages implements OperatorPageStore {
  constructor(
    private readonly table: MemoryTable,
    private readonly records: MemoryRecords,
    private readonly queues: MemoryQueues,
  ) {}

  async query(query: DueQuery): Promise<DuePage> {
    return this.table.query(query);
  }

  async read(ids: readonly string[], queue: string): Promise<PageRead> {
    return { records: await this.records.getMany(ids), queue: this.queues.stateOf(queue) };
  }

  async count({ lane, from, until = LAST_TIME, after }: CountQuery): Promise<CountedPage> {
    const limit = Number.POSITIVE_INFINITY;
    const { keys } = this.table.query({ lane, from, until, after, order: 'oldestFirst', limit });
    return { count: keys.length, next: undefined };
  }
}

/** The search for records that wait and are not indexed. */
export class MemorySweep implements NotIndexedStore {
  private state: SweepState | undefined;

  constructor(private readonly table: MemoryTable) {}

  /** Returns all ids at once, in the last of the segments. */
  async scan({ segment, segments }: ScanPage): Promise<NotIndexedPage> {
    return { ids: segment < segments - 1 ? [] : this.table.notIndexed(), next: undefined };
  }

  async read(): Promise<SweepState | undefined> {
    return this.state;
  }

  async write(state: SweepState): Promise<void> {
    this.state = state;
  }
}
