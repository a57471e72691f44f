import { isDeepStrictEqual } from 'node:util';
import {
  AsRead,
  attributesToFence,
  type BacklogRecord,
  type Item,
  mayNeedIndexing,
  parseRecord,
} from '../../record/index.js';
import type { Clock } from '../../support/clock.js';
import { checkItem } from '../item-limits.js';
import type { Found, OperatorChange } from '../operator-store.js';
import type { DuePage, DueQuery } from '../store.js';
import { frozenCopy } from './freeze.js';
import { LaneIndex } from './lane-index.js';

/** The records' table: items by id, and the sparse index over `lane` and `dueAt`. */
export class MemoryTable {
  private readonly items = new Map<string, Item>();
  private readonly lanes = new Map<string, LaneIndex>();

  /** Called after each write, with the item before it and the item as it is now. */
  onWritten: ((before: Item | undefined, after: Item | undefined) => void) | undefined;

  constructor(private readonly clock: Clock) {}

  insert(item: Item): 'inserted' | 'duplicate' {
    checkItem(item);
    const stored = this.items.get(String(item.id));
    if (stored) return item.rev !== undefined && stored.rev === item.rev ? 'inserted' : 'duplicate';
    this.put(item);
    return 'inserted';
  }

  put(item: Item): void {
    const id = String(item.id);
    this.unindex(id);
    const before = this.items.get(id);
    const stored = frozenCopy(item, before);
    this.items.set(id, stored);
    const place = placeOf(id, stored);
    if (place) this.laneIndex(place.lane).add(place.key);
    this.onWritten?.(before, stored);
  }

  delete(id: string): void {
    this.unindex(id);
    const before = this.items.get(id);
    this.items.delete(id);
    if (before) this.onWritten?.(before, undefined);
  }

  /** The records of these ids that exist, each once. */
  find(ids: readonly string[]): Found[] {
    const items = [...new Set(ids)].map((id) => this.items.get(id)).filter((item) => item !== undefined);
    return items.map((item) => this.found(item));
  }

  item(id: string): Item | undefined {
    return this.items.get(id);
  }

  all(): IterableIterator<Item> {
    return this.items.values();
  }

  found(item: Item): Found {
    return { item, record: parseRecord(item, this.clock.now(), new AsRead(item)) };
  }

  notIndexed(): string[] {
    const found = [...this.items.values()].filter((item) => mayNeedIndexing(item, this.found(item).record));
    return found.map(({ id }) => String(id));
  }

  write(record: BacklogRecord, change: OperatorChange, rev: string): 'settled' | 'changed' {
    const item = this.items.get(record.id);
    if (!item) return 'changed';
    const found = change.set.status === 'SUCCESS' ? withoutRequest(item, record) : item;
    if (!isAsRead(found, record)) return item.rev === rev ? 'settled' : 'changed';
    this.put({ ...changed(item, change), rev });
    return 'settled';
  }

  /** Sets attributes of a record that is still as it was read, and leaves its `rev`. */
  set(record: BacklogRecord, attributes: Item): 'settled' | 'changed' {
    const item = this.items.get(record.id);
    if (!item || !isAsRead(item, record)) return 'changed';
    this.put({ ...item, ...attributes });
    return 'settled';
  }

  remove(record: BacklogRecord): 'removed' | 'changed' {
    const item = this.items.get(record.id);
    if (item && !isAsRead(item, record)) return 'changed';
    this.delete(record.id);
    return 'removed';
  }

  query(query: DueQuery): DuePage {
    return this.lanes.get(query.lane)?.query(query) ?? { keys: [], more: false };
  }

  earliestDue(lane: string): string | undefined {
    return this.lanes.get(lane)?.first?.dueAt;
  }

  laneNames(): string[] {
    return [...this.lanes].filter(([, lane]) => lane.first !== undefined).map(([name]) => name);
  }

  private unindex(id: string): void {
    const item = this.items.get(id);
    const place = item && placeOf(id, item);
    if (place) this.lanes.get(place.lane)?.remove(place.key);
  }

  private laneIndex(name: string): LaneIndex {
    const lane = this.lanes.get(name) ?? new LaneIndex();
    this.lanes.set(name, lane);
    return lane;
  }
}

/** The place of an item in the index. Only an item that has both keys, as strings, is in it. */
function placeOf(id: string, { lane, dueAt }: Item) {
  return typeof lane === 'string' && typeof dueAt === 'string' ? { lane, key: { id, dueAt } } : undefined;
}

/** Tells whether an item is still as it was read, or as the library has written it since. */
function isAsRead(item: Item, record: BacklogRecord): boolean {
  const { stored, written } = AsRead.of(record);
  const read = { ...(stored as Item), ...written };
  return attributesToFence(read, record.rev !== undefined).every(
    (name) => item[name] === read[name] || isDeepStrictEqual(item[name], read[name]),
  );
}

/** The item as if its long attempt had not been asked to end since: a success wins over that. */
function withoutRequest(item: Item, { notBefore }: BacklogRecord): Item {
  if (typeof notBefore !== 'object' || notBefore.cancel !== undefined) return item;
  const { cancel, ...hold } = { ...(item.notBefore as object | undefined) } as NonNullable<typeof notBefore>;
  return cancel === undefined ? item : { ...item, notBefore: hold };
}

function changed(item: Item, { set, remove }: OperatorChange): Item {
  const next: Record<string, unknown> = { ...item };
  for (const [name, value] of Object.entries(set)) if (value !== undefined) next[name] = value;
  // Absent for the store; quicker than to delete it.
  for (const name of remove) next[name] = undefined;
  return next;
}
