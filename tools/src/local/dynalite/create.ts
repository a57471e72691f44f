import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import dynalite from 'dynalite';

type Callback = (error?: Error | null, value?: unknown) => void;

/** One entry of the database, whose key names its table, too. */
export type Operation =
  | { readonly type: 'put'; readonly key: string; readonly value: unknown }
  | { readonly type: 'del'; readonly key: string };

/** A list of keys or values, one by one; `undefined` is its end. */
export interface EntryIterator {
  next(): Promise<unknown>;
  close(): Promise<void>;
}

/** The LevelDB below dynalite, or what stands for it in memory, with the callbacks that dynalite gives it. */
export interface LevelDatabase {
  open(): Promise<void>;
  close(done: Callback): void;
  get(key: string, done: Callback): void;
  put(key: string, value: unknown, done: Callback): void;
  del(key: string, done: Callback): void;
  batch(operations: readonly Operation[], done: Callback): void;
  keys(options?: object): EntryIterator;
  values(options?: object): EntryIterator;
}

/** Frees what is locked, and then calls the callback. */
type Release = <Args extends unknown[]>(done: (...args: Args) => void) => (...args: Args) => void;

/** The items of one table. */
export interface ItemDatabase {
  get(key: string, done: Callback): void;
  /** Waits until no other request has the item of that key. */
  lock(key: string, act: (release: Release) => void): void;
  put(key: string, value: unknown, done: Callback): void;
  del(key: string, done: Callback): void;
}

/** The parts of dynalite's store that are used here. */
export interface DynaliteStore {
  readonly db: LevelDatabase;
  getTable(name: string, done: Callback): void;
  getItemDb(table: string): ItemDatabase;
}

const db = createRequire(import.meta.resolve('dynalite'))('./db') as {
  create(options: unknown): DynaliteStore;
};

/** dynalite keeps its store to itself; it is caught as it is made. */
export function createDynalite(options: Parameters<typeof dynalite>[0]): {
  readonly server: Server;
  readonly store: DynaliteStore;
} {
  const { create } = db;
  const made: DynaliteStore[] = [];
  db.create = (given) => {
    const store = create(given);
    made.push(store);
    return store;
  };
  try {
    const server = dynalite(options);
    const [store] = made;
    if (!store) throw new Error('this version of dynalite makes its store in another way');
    return { server, store };
  } finally {
    db.create = create;
  }
}
