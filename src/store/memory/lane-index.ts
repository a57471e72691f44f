import { clampToRange, type DueRange } from '../range.js';
import type { DuePage, DueQuery, IndexKey } from '../store.js';

/** The keys of one lane in order, of `dueAt` and then of `id`. */
export class LaneIndex {
  private readonly keys: IndexKey[] = [];

  get size(): number {
    return this.keys.length;
  }

  get first(): IndexKey | undefined {
    return this.keys[0];
  }

  add(key: IndexKey): void {
    this.keys.splice(this.firstNotBefore(key), 0, key);
  }

  remove(key: IndexKey): void {
    const place = this.firstNotBefore(key);
    const found = this.keys[place];
    if (found && compare(found, key) === 0) this.keys.splice(place, 1);
  }

  all(): readonly IndexKey[] {
    return this.keys;
  }

  query(query: DueQuery): DuePage {
    const range = clampToRange(query);
    if (!range) return { keys: [], more: false };
    return query.order === 'oldestFirst'
      ? this.forwards(range, query.limit)
      : this.backwards(range, query.limit);
  }

  private forwards(range: DueRange, limit: number): DuePage {
    let place = range.after ? this.firstBehind(range.after) : this.firstDueFrom(range.from ?? '');
    const keys: IndexKey[] = [];
    for (; keys.length < limit; place++) {
      const key = this.keys[place];
      if (!key || key.dueAt > range.until) return { keys, more: false };
      keys.push(key);
    }
    return { keys, more: true };
  }

  private backwards(range: DueRange, limit: number): DuePage {
    let place = (range.after ? this.firstNotBefore(range.after) : this.firstDueBehind(range.until)) - 1;
    const keys: IndexKey[] = [];
    for (; keys.length < limit; place--) {
      const key = this.keys[place];
      if (!key || (range.from !== undefined && key.dueAt < range.from)) return { keys, more: false };
      keys.push(key);
    }
    return { keys, more: true };
  }

  private firstNotBefore(key: IndexKey): number {
    return this.search((candidate) => compare(candidate, key) >= 0);
  }

  private firstBehind(key: IndexKey): number {
    return this.search((candidate) => compare(candidate, key) > 0);
  }

  private firstDueFrom(dueAt: string): number {
    return this.search((candidate) => candidate.dueAt >= dueAt);
  }

  private firstDueBehind(dueAt: string): number {
    return this.search((candidate) => candidate.dueAt > dueAt);
  }

  /** The first place for which the predicate holds, by bisection: it must hold for all places behind, too. */
  private search(holds: (candidate: IndexKey) => boolean): number {
    let [low, high] = [0, this.keys.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const candidate = this.keys[middle];
      if (candidate && holds(candidate)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function compare(a: IndexKey, b: IndexKey): number {
  if (a.dueAt !== b.dueAt) return a.dueAt < b.dueAt ? -1 : 1;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}
