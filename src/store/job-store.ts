import type { Item } from '../record/index.js';

/** The stored bulk jobs of operators, and what undoes them. Items are as any service may have written them. */
export interface JobStore {
  /** Stores a new job. False: there is one with this id. True also if this very write had taken effect before. */
  create(id: string, job: Item): Promise<boolean>;
  /** Reads a job, strongly. */
  read(id: string): Promise<Item | undefined>;
  /** All jobs, by id, read strongly. */
  list(): Promise<ReadonlyMap<string, Item>>;
  /** Changes a job while attributes have the values that are expected. Undefined: they have not, and nothing is written. */
  change(id: string, change: JobChange): Promise<Item | undefined>;
  /** Keeps a page of what a job is about to change. False: there is a page of this number. */
  keep(id: string, page: number, kept: readonly Kept[], expiresAt: number): Promise<boolean>;
  /** Reads a page of what a job has changed, strongly. Undefined: there is none; empty: it is damaged. */
  kept(id: string, page: number): Promise<readonly Kept[] | undefined>;
}

/** A change of a job's item. */
export interface JobChange {
  /** Attributes and their new values, among them a new `rev`. */
  readonly set: Item & {
    /** The new `rev`. */
    readonly rev: string;
  };
  /** Attributes that go. */
  readonly remove?: readonly string[] | undefined;
  /** Attributes as they must be; `undefined`: absent. */
  readonly expected: Item;
}

/** A record before a job changed it. */
export interface Kept {
  /** The record's id. */
  readonly id: string;
  /** The `rev` that the change writes; two if it is written in two steps. */
  readonly revs: readonly string[];
  /** The names of the attributes that it changes. */
  readonly names: readonly string[];
  /** Their values before, as far as the item had them. */
  readonly before: Item;
}
