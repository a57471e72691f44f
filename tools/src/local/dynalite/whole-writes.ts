import { createRequire } from 'node:module';
import type { DynaliteStore, ItemDatabase, Operation } from './create.js';

/** An item in DynamoDB's own JSON: `{ "id": { "S": "order-7" } }`. */
export type AttributeMap = Readonly<Record<string, unknown>>;

/** One write to an item, and the item before it and after it. */
export interface ItemWrite {
  readonly table: string;
  readonly before: AttributeMap | undefined;
  readonly after: AttributeMap | undefined;
}

/** A table as dynalite keeps it. */
export interface Table {
  readonly TableName: string;
}

/** A write that an operation would make. */
export interface PlannedWrite {
  readonly table: Table;
  readonly before: AttributeMap | undefined;
  readonly after: AttributeMap | undefined;
}
type UpdateIndexes = (
  store: DynaliteStore,
  table: Table,
  before: AttributeMap | undefined,
  after: AttributeMap | null | undefined,
  done: (error?: Error | null) => void,
) => void;

const db = createRequire(import.meta.resolve('dynalite'))('./db') as {
  createKey(item: AttributeMap, table: Table): string;
  updateIndexes: UpdateIndexes;
};

/** Write of an item that is about to come, with the entries of its indexes. */
interface Pending {
  readonly write: ItemWrite;
  readonly indexes: readonly Operation[];
}
type Begin = (table: Table, write: ItemWrite, updateIndexes: (done: () => void) => void) => void;

const begins = new WeakMap<DynaliteStore, Begin>();
const { updateIndexes: updateIndexesOf } = db;
let isPatched = false;

/**
 * Makes each write of dynalite whole, and reports it. Without this patch no insert reaches the intake, because dynalite
 * has no streams.
 *
 * dynalite also writes the entries of an item's indexes first, one by one, and then the item. A process that is killed
 * in between, or a full disk, would leave an item that waits and that no index has: it would never be attempted. Here
 * the item and its entries are one write. Each of dynalite's writes, of whatever request, goes through `updateIndexes`
 * and then to the item, under the lock of its key.
 *
 * @param onWritten called for each write, once the item can be read as it was written, in the order of an item's writes
 * @returns a function that makes several writes one; its caller has locked their items
 */
export function makeWritesWhole(
  store: DynaliteStore,
  onWritten: (write: ItemWrite) => void,
): (writes: readonly PlannedWrite[]) => Promise<void> {
  patch();
  const { db: level } = store;
  const { put, del } = level;
  let recorded: Operation[] | undefined;
  level.put = (key, value, done) => {
    if (!recorded) return put.call(level, key, value, done);
    recorded.push({ type: 'put', key, value });
    done(null);
  };
  level.del = (key, done) => {
    if (!recorded) return del.call(level, key, done);
    recorded.push({ type: 'del', key });
    done(null);
  };
  /** Runs a write, and returns its operations in place of making them. */
  const record = (write: (done: () => void) => void): readonly Operation[] => {
    const operations: Operation[] = [];
    let isDone = false;
    recorded = operations;
    try {
      write(() => {
        isDone = true;
      });
    } finally {
      recorded = undefined;
    }
    if (!isDone) throw new Error('this version of dynalite writes in another way');
    return operations;
  };

  const pending = new Map<string, Pending>();
  const idOf = (table: string, key: string) => `${table}/${key}`;
  begins.set(store, (table, write, updateIndexes) => {
    const item = write.after ?? write.before;
    if (!item) return;
    pending.set(idOf(table.TableName, db.createKey(item, table)), { write, indexes: record(updateIndexes) });
  });

  const { getItemDb } = store;
  store.getItemDb = (table) => {
    const items = getItemDb(table);
    const write = (key: string, one: (done: () => void) => void, done: (error?: Error | null) => void) => {
      const id = idOf(table, key);
      const found = pending.get(id);
      pending.delete(id);
      level.batch([...(found?.indexes ?? []), ...record(one)], (error) => {
        if (!error && found) onWritten(found.write);
        done(error);
      });
    };
    // The lock of a key, and all that reads, stays as it is.
    return Object.assign(Object.create(items), {
      put: (key: string, value: unknown, done: (error?: Error | null) => void) =>
        write(key, (recordedAt) => items.put(key, value, recordedAt), done),
      del: (key: string, done: (error?: Error | null) => void) =>
        write(key, (recordedAt) => items.del(key, recordedAt), done),
    });
  };

  return async (writes) => {
    // Nothing was there to delete.
    const changes = writes.filter(({ before, after }) => before !== undefined || after !== undefined);
    const operations = changes.flatMap(({ table, before, after }) => {
      const key = db.createKey((after ?? before) as AttributeMap, table);
      const items = getItemDb(table.TableName);
      return [
        ...record((done) => updateIndexesOf(store, table, before, after ?? null, done)),
        ...record((done) => (after ? items.put(key, after, done) : items.del(key, done))),
      ];
    });
    await new Promise<void>((resolve, reject) => {
      level.batch(operations, (error) => (error ? reject(error) : resolve()));
    });
    for (const { table, before, after } of changes) onWritten({ table: table.TableName, before, after });
  };
}

/**
 * A store on which an operation reads the items of this one, and writes none: it tells what it would write.
 *
 * @param onPlanned called for each write; with neither an item before nor after it, nothing was there to delete
 */
export function planWrites(store: DynaliteStore, onPlanned: (write: PlannedWrite) => void): DynaliteStore {
  patch();
  const shadow: DynaliteStore = Object.assign(Object.create(store), {
    getItemDb: (table: string): ItemDatabase => ({
      get: (key, done) => store.getItemDb(table).get(key, done),
      lock: (_key, act) => act((done) => done),
      put: (_key, _value, done) => done(null),
      del: (_key, done) => done(null),
    }),
  });
  begins.set(shadow, (table, { before, after }) => onPlanned({ table, before, after }));
  return shadow;
}

function patch(): void {
  if (isPatched) return;
  isPatched = true;
  db.updateIndexes = (store, table, before, after, done) => {
    const begin = begins.get(store);
    if (!begin) return updateIndexesOf(store, table, before, after, done);
    const write = { table: table.TableName, before, after: after ?? undefined };
    begin(table, write, (recorded) => updateIndexesOf(store, table, before, after, recorded));
    done();
  };
}
