import { createRequire } from 'node:module';

/** An item in DynamoDB's own JSON: `{ "id": { "S": "order-7" } }`. */
export type AttributeMap = Readonly<Record<string, unknown>>;

/** One write to an item. */
export interface Change {
  readonly table: string;
  readonly before: AttributeMap | undefined;
  readonly after: AttributeMap | undefined;
  /** When it was written, epoch milliseconds; just now if missing. */
  readonly at?: number | undefined;
}

type OnChange = (change: Change) => void;
type Callback = (error?: Error | null) => void;

/** The parts of dynalite that every write goes through. */
interface DynaliteDb {
  create(options: unknown): Store;
  createKey(item: AttributeMap, table: { readonly TableName: string }): string;
  updateIndexes(
    store: Store,
    table: { readonly TableName: string },
    before: AttributeMap | undefined,
    after: AttributeMap | null | undefined,
    done: Callback,
  ): void;
}

interface Store {
  getItemDb(table: string): {
    lock(key: string, locked: (release: (callback: () => void) => () => void) => void): void;
  };
}

const db = createRequire(import.meta.resolve('dynalite'))('./db') as DynaliteDb;
const listeners = new WeakMap<Store, OnChange>();
let listening: OnChange | undefined;
let isPatched = false;

/**
 * dynalite has no streams. Each of its writes, of whatever request, goes through `updateIndexes` with the item before
 * and after, and is written under the lock of its key. Who waits for the same lock sees the item as it was written, and
 * changes of one item in their order.
 *
 * @param start creates one dynalite, whose writes are told
 */
export function capturingChanges<Result>(start: () => Result, onChange: OnChange): Result {
  patch();
  listening = onChange;
  try {
    return start();
  } finally {
    listening = undefined;
  }
}

function patch(): void {
  if (isPatched) return;
  isPatched = true;
  const { create, updateIndexes } = db;
  db.create = (options) => {
    const store = create(options);
    if (listening) listeners.set(store, listening);
    return store;
  };
  db.updateIndexes = (store, table, before, after, done) => {
    const onChange = listeners.get(store);
    updateIndexes(store, table, before, after, (error) => {
      // The item itself is written next, by whoever is told here.
      done(error);
      const item = after ?? before;
      if (error || !onChange || !item) return;
      const change = { table: table.TableName, before, after: after ?? undefined };
      store.getItemDb(table.TableName).lock(db.createKey(item, table), (release) => {
        release(() => onChange(change))();
      });
    });
  };
}
