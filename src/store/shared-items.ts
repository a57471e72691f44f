import type { Item } from '../record/index.js';

/**
 * The items of the control table that several processes change: those of groups and of lines. Each has a random `rev` that every write
 * renews. Items are as any service may have written them.
 */
export interface SharedItems {
  /** Reads items, strongly, by key; absent ones are left out. */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, Item>>;
  /** Writes an item that is not there. False: one is, whatever it holds. True also if this very write had taken effect before. */
  create(key: string, attributes: SharedAttributes): Promise<boolean>;
  /**
   * Writes attributes of an item, if it is as it was read. False: it is not. True also if this very write had taken effect before.
   *
   * @param expected the `rev` as it was read; undefined: it had none that is text, as it was not there, or is damaged
   */
  write(key: string, attributes: SharedAttributes, expected: string | undefined): Promise<boolean>;
  /** Removes an item, whatever it is by now, or only if it has this `rev`. */
  remove(key: string, expected?: string): Promise<void>;
  /** All keys with this beginning, read strongly. */
  list(prefix: string): Promise<readonly string[]>;
}

/** Attributes of such an item that are written; those it does not name stay as they are. */
export interface SharedAttributes extends Item {
  /** The new `rev`. */
  readonly rev: string;
}

/** These items, as operators look at all of them. */
export interface OperatorSharedItems extends SharedItems {
  /** One page of the whole control table, eventually consistent: exactly one request. */
  scan(scan: SharedScan): Promise<SharedScanPage>;
}

/** The items that a scan brings. */
export interface SharedScan {
  /** The beginning of their keys. */
  readonly prefix: string;
  /** Attributes beside `key` that they have in the answer. */
  readonly attributes: readonly string[];
  /** The key to go on behind. Default: the beginning of the table. */
  readonly after?: string | undefined;
}

/** A page of a scan. */
export interface SharedScanPage {
  /** The items, unordered. */
  readonly items: readonly Item[];
  /** The key to go on behind. Undefined: that was all. */
  readonly next: string | undefined;
}
