import { clampToRange, type DueRange } from '../range.js';
import type { DuePage, DueQuery, IndexKey } from '../store.js';

/** Most keys in a chunk: moving a few hundred keys is cheap, moving all of a lane's is not. */
const MAX_CHUNK = 512;

/** The keys of one lane in order, of `dueAt` and then of `id`, in chunks of limited length that are never empty. */
export class LaneIndex {
  private readonly chunks: IndexKey[][] = [];

  /** The first key; `undefined`: there is none. */
  get first(): IndexKey | undefined {
    return this.chunks[0]?.[0];
  }

  /** Adds a key. */
  add(key: IndexKey): void {
    const chunkAt = Math.max(0, this.chunkOf(key));
    const chunk = this.chunks[chunkAt];
    if (!chunk) {
      this.chunks.push([key]);
      return;
    }
    chunk.splice(firstNotBefore(chunk, key), 0, key);
    if (chunk.length > MAX_CHUNK) this.chunks.splice(chunkAt + 1, 0, chunk.splice(MAX_CHUNK / 2));
  }

  /** Removes a key, if it is there. */
  remove(key: IndexKey): void {
    const chunkAt = this.chunkOf(key);
    const chunk = this.chunks[chunkAt];
    if (!chunk) return;
    const place = firstNotBefore(chunk, key);
    const found = chunk[place];
    if (!found || compare(found, key) !== 0) return;
    chunk.splice(place, 1);
    if (chunk.length === 0) this.chunks.splice(chunkAt, 1);
  }

  /** A page of the keys of a query, and whether there are more. */
  query(query: DueQuery): DuePage {
    const range = clampToRange(query);
    if (!range) return { keys: [], more: false };
    const oldestFirst = query.order === 'oldestFirst';
    const source = oldestFirst ? this.from(startOf(range)) : this.backFrom(endOf(range));
    const keys: IndexKey[] = [];
    for (const key of source) {
      if (range.after && compare(key, range.after) === 0) continue;
      if (oldestFirst ? key.dueAt > range.until : key.dueAt < (range.from ?? '')) break;
      keys.push(key);
      if (keys.length >= query.limit) return { keys, more: true };
    }
    return { keys, more: false };
  }

  private *from(start: IndexKey): Generator<IndexKey> {
    let chunkAt = Math.max(0, this.chunkOf(start));
    let place = firstNotBefore(this.chunks[chunkAt] ?? [], start);
    for (let chunk = this.chunks[chunkAt]; chunk; chunk = this.chunks[++chunkAt], place = 0) {
      for (; place < chunk.length; place++) yield chunk[place] as IndexKey;
    }
  }

  private *backFrom(end: IndexKey): Generator<IndexKey> {
    let chunkAt = this.chunkOf(end);
    let place = firstBehind(this.chunks[chunkAt] ?? [], end) - 1;
    for (let chunk = this.chunks[chunkAt]; chunk; place = (chunk?.length ?? 0) - 1) {
      for (; place >= 0; place--) yield chunk[place] as IndexKey;
      chunk = this.chunks[--chunkAt];
    }
  }

  /** The last chunk that begins at the key or before it; -1 if all begin behind it. */
  private chunkOf(key: IndexKey): number {
    return bisect(this.chunks, (chunk) => compare(chunk[0] as IndexKey, key) > 0) - 1;
  }
}

/** A text that sorts behind every id: ids are compared by UTF-16 units, of which this is the last. */
const LAST_ID = '\uffff'.repeat(2);

function startOf(range: DueRange): IndexKey {
  return range.after ?? { dueAt: range.from ?? '', id: '' };
}

function endOf(range: DueRange): IndexKey {
  return range.after ?? { dueAt: range.until, id: LAST_ID };
}

function firstNotBefore(keys: readonly IndexKey[], key: IndexKey): number {
  return bisect(keys, (candidate) => compare(candidate, key) >= 0);
}

function firstBehind(keys: readonly IndexKey[], key: IndexKey): number {
  return bisect(keys, (candidate) => compare(candidate, key) > 0);
}

/** The first place for which the predicate holds; it must hold for all places behind, too. */
function bisect<Element>(elements: readonly Element[], holds: (element: Element) => boolean): number {
  let [low, high] = [0, elements.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(elements[middle] as Element)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function compare(a: IndexKey, b: IndexKey): number {
  if (a.dueAt !== b.dueAt) return a.dueAt < b.dueAt ? -1 : 1;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}
