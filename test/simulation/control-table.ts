import { MemoryStore, type MemoryStoreDeps } from '../../src/store/memory/store.js';
import type { OperatorStore } from '../../src/store/operator-store.js';

/** What the users' table is asked for; everything else is of the control table. */
const OF_RECORDS = new Set<string>([
  'insert',
  'get',
  'list',
  'queryDue',
  'readRecords',
  'settle',
  'scanNotIndexed',
  'change',
  'remove',
  'readItems',
  'scanItems',
  'countDue',
] satisfies (keyof OperatorStore)[]);

/** Two tables, of which one can be lost, or restored to an earlier state, without the other. */
export class ControlTable {
  private current: MemoryStore;
  /** As it was when the copy was taken. */
  private copy: MemoryStore | undefined;
  private isCopied = false;

  constructor(
    private readonly records: MemoryStore,
    private readonly deps: MemoryStoreDeps,
  ) {
    this.current = records;
  }

  get now(): MemoryStore {
    return this.current;
  }

  /** From the beginning until `copied` each request is made to a copy as well. */
  beginCopy(): void {
    this.copy = new MemoryStore(this.deps);
  }

  copied(): void {
    this.isCopied = true;
  }

  /** To the copy, or to nothing where there is none. */
  restore(): void {
    this.current = this.copy ?? new MemoryStore(this.deps);
    this.isCopied = true;
  }

  store(): OperatorStore {
    const { records } = this;
    return new Proxy<OperatorStore>(records, {
      get: (_, name) => {
        if (name === 'readPage') {
          const readPage: OperatorStore['readPage'] = async (ids, queue) => ({
            records: await records.readRecords(ids),
            queue: await this.current.readQueue(queue),
          });
          return readPage;
        }
        const of = (store: MemoryStore) =>
          (store[name as keyof MemoryStore] as (...args: unknown[]) => unknown).bind(store);
        if (OF_RECORDS.has(String(name))) return of(records);
        return (...args: unknown[]) => {
          if (this.copy && !this.isCopied) void of(this.copy)(...args);
          return of(this.current)(...args);
        };
      },
    });
  }
}
