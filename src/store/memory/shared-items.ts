import type { Item } from '../../record/index.js';
import type { OperatorSharedItems, SharedAttributes, SharedScan, SharedScanPage } from '../shared-items.js';
import { frozenCopy } from './freeze.js';

/** The shared items of the control table, in memory. */
export class MemorySharedItems implements OperatorSharedItems {
  private readonly items = new Map<string, Item>();

  /** An item as it is. Undefined: it is not there. */
  item(key: string): Item | undefined {
    return this.items.get(key);
  }

  /** The items of a kind, by what their keys have behind the prefix. */
  named(prefix: string): ReadonlyMap<string, Item> {
    const own = [...this.items].filter(([key]) => key.startsWith(prefix));
    return new Map(own.map(([key, item]) => [key.slice(prefix.length), item]));
  }

  /** Replaces an item. */
  put(key: string, item: Item): void {
    this.items.set(key, frozenCopy(item));
  }

  async read(keys: readonly string[]): Promise<ReadonlyMap<string, Item>> {
    return new Map([...this.items].filter(([key]) => keys.includes(key)));
  }

  /** Reads items as runs do. */
  getMany(keys: readonly string[]): Promise<ReadonlyMap<string, Item>> {
    return this.read(keys);
  }

  async create(key: string, attributes: SharedAttributes): Promise<boolean> {
    const item = this.items.get(key);
    if (item && item.rev !== attributes.rev) return false;
    this.items.set(key, frozenCopy({ ...item, ...attributes }));
    return true;
  }

  async write(key: string, attributes: SharedAttributes, expected: string | undefined): Promise<boolean> {
    const item = this.items.get(key);
    const rev = typeof item?.rev === 'string' ? item.rev : undefined;
    if (rev !== expected && rev !== attributes.rev) return false;
    this.items.set(key, frozenCopy({ ...item, ...attributes }));
    return true;
  }

  async remove(key: string, expected?: string): Promise<void> {
    if (expected === undefined || this.items.get(key)?.rev === expected) this.items.delete(key);
  }

  async list(prefix: string): Promise<readonly string[]> {
    return [...this.items.keys()].filter((key) => key.startsWith(prefix));
  }

  async scan({ prefix, attributes }: SharedScan): Promise<SharedScanPage> {
    const found = [...this.items].filter(([key]) => key.startsWith(prefix));
    const only = (item: Item) =>
      Object.fromEntries(
        attributes.flatMap((name) => (Object.hasOwn(item, name) ? [[name, item[name]]] : [])),
      );
    return { items: found.map(([key, item]) => ({ key, ...only(item) })), next: undefined };
  }
}
