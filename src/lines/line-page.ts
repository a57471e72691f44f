import type { Item } from '../record/index.js';
import { isSeq } from '../record/seq.js';

/** A record that was seen, with its number. */
export interface Entry {
  /** The record's id. */
  readonly id: string;
  /** Its number. */
  readonly seq: number;
}

/**
 * The records of 16 numbers of a line that did not have their turn as they came. They are hints: whether a record waits, and where, is
 * read from the record. Two records may have one number, by a mistake of their producer: then both are here, and none is lost.
 */
export interface LinePage {
  /** New at each write. Undefined: there is no item yet. */
  readonly rev?: string | undefined;
  /** Sorted by number, and by id. */
  readonly entries: readonly Entry[];
}

/** Reads a page: a list of numbers and ids, in turn. */
export function parsePage(item: Item | undefined): LinePage {
  const { rev, waiting } = item ?? {};
  const flat: readonly unknown[] = Array.isArray(waiting) ? waiting : [];
  const entries: Entry[] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const [seq, id] = [flat[at], flat[at + 1]];
    if (isSeq(seq) && typeof id === 'string') entries.push({ seq, id });
  }
  return { rev: typeof rev === 'string' ? rev : undefined, entries: sorted(entries) };
}

/** The attributes of a page with further entries. Undefined: it has them all. */
export function withEntries({ entries }: LinePage, more: readonly Entry[]): Item | undefined {
  const isNew = ({ id, seq }: Entry) => !entries.some((one) => one.id === id && one.seq === seq);
  const added = more.filter(isNew);
  if (added.length === 0) return undefined;
  return { waiting: sorted([...entries, ...added]).flatMap(({ seq, id }) => [seq, id]) };
}

function sorted(entries: readonly Entry[]): Entry[] {
  return [...entries].sort((a, b) => a.seq - b.seq || (a.id < b.id ? -1 : 1));
}
