import type { Item } from '../../record/index.js';
import type { DuePage, DueQuery } from '../store.js';
import { frozenCopy } from './freeze.js';
import { LaneIndex } from './lane-index.js';

/** The records' table: items by id, and the sparse index over `lane` and `dueAt`. */
export class MemoryItems {
  private readonly items = new Map<string, Item>();
  private readonly lanes = new Map<string, LaneIndex>();

  get(id: string): Item | undefined {
    return this.items.get(id);
  }

  put(id: string, item: Item): void {
    this.unindex(id);
    const stored = frozenCopy(item, this.items.get(id));
    this.items.set(id, stored);
    const place = placeOf(id, stored);
    if (place) this.laneIndex(place.lane).add(place.key);
  }

  delete(id: string): void {
    this.unindex(id);
    this.items.delete(id);
  }

  all(): IterableIterator<Item> {
    return this.items.values();
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

/** Only an item that has both keys, as strings, is in the index. */
function placeOf(id: string, { lane, dueAt }: Item) {
  return typeof lane === 'string' && typeof dueAt === 'string' ? { lane, key: { id, dueAt } } : undefined;
}
