import { intercepted } from '../../src/store/bounded-store.js';
import { MemoryStore, type MemoryStoreDeps } from '../../src/store/memory/store.js';
import type { OperatorStore } from '../../src/store/operator-store.js';
import { replacing } from './replacing.js';

/** Requests of the users' table; all others are of the control table. */
const OF_RECORDS = /^(records\.|pages\.(query|count)|sweep\.scan)/;

/** Two tables, of which one can be lost, or restored to an earlier state, without the other. */
export class ControlTable {
  private current: MemoryStore;
  /** The state of the table when the copy was taken. */
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

  /** Begins a copy: until `copied` each request is made to it as well. */
  beginCopy(): void {
    this.copy = new MemoryStore(this.deps);
  }

  copied(): void {
    this.isCopied = true;
  }

  /** Restores the copy, or an empty table where there is none. */
  restore(): void {
    this.current = this.copy ?? new MemoryStore(this.deps);
    this.isCopied = true;
  }

  store(): OperatorStore {
    const { records } = this;
    const store: OperatorStore = intercepted(records, (name, call, args) => {
      if (OF_RECORDS.test(name)) return call();
      const [role = '', method = ''] = name.split('.');
      const askOf = (control: MemoryStore): Promise<unknown> => {
        const methods = Reflect.get(control, role);
        return methods[method](...args);
      };
      if (this.copy && !this.isCopied) void askOf(this.copy);
      return askOf(this.current);
    });
    const read: OperatorStore['pages']['read'] = async (ids, queue) => ({
      records: await records.records.getMany(ids),
      queue: await this.current.queues.read(queue),
    });
    return replacing({ pages: { read } }, store);
  }
}
