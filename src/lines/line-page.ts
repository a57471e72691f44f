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
  /** New at each write. Undefined: there is no item yet, or it has none that is text. */
  readonly rev?: string | undefined;
  /** Sorted by number, and by id. */
  readonly entries: readonly Entry[];
  /** A record has come back to it, after its turn: it stays when its numbers have passed. */
  readonly hasBack?: boolean | undefined;
}

/** Entries of one page, and their bytes: a producer may give every record the same number. */
const MAX_ENTRIES = 1_000;
const MAX_BYTES = 200_000;
/** The longest id of DynamoDB, and its number. */
const MAX_ID_BYTES = 2_060;

/** Reads a page: a list of numbers and ids, in turn. */
export function parsePage(item: Item | undefined): LinePage {
  const { rev, waiting, hasBack } = item ?? {};
  const flat: readonly unknown[] = Array.isArray(waiting) ? waiting : [];
  const entries: Entry[] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const [seq, id] = [flat[at], flat[at + 1]];
    if (isSeq(seq) && typeof id === 'string') entries.push({ seq, id });
  }
  return {
    rev: typeof rev === 'string' ? rev : undefined,
    entries: sorted(entries),
    hasBack: hasBack === true,
  };
}

/**
 * The attributes of a page with further entries. Undefined: it has them all, or is full.
 *
 * @param next the first number whose turn has not come: what comes back to a number before it is written in any case, as another process
 * may be about to remove it
 */
export function withEntries(page: LinePage, more: readonly Entry[], next: number): Item | undefined {
  const { entries, hasBack } = page;
  const isNew = ({ id, seq }: Entry) => !entries.some((one) => one.id === id && one.seq === seq);
  const added: Entry[] = [];
  for (const entry of more.filter(isNew)) {
    if (isFull({ entries: [...entries, ...added] })) break;
    added.push(entry);
  }
  const isBack = more.some(({ seq }) => seq < next);
  if (added.length === 0 && !isBack) return undefined;
  return attributesOf([...entries, ...added], hasBack || isBack);
}

/** Tells whether a page takes no further entry, as too many records have the same number. */
export function isFull({ entries }: LinePage): boolean {
  return entries.length >= MAX_ENTRIES || bytesOf(entries) >= MAX_BYTES - MAX_ID_BYTES;
}

/** The attributes of a page without some of its entries. */
export function withoutEntries({ entries, hasBack }: LinePage, over: ReadonlySet<Entry>): Item {
  return attributesOf(
    entries.filter((entry) => !over.has(entry)),
    hasBack,
  );
}

function attributesOf(entries: readonly Entry[], hasBack: boolean | undefined): Item {
  const waiting = sorted(entries).flatMap(({ seq, id }) => [seq, id]);
  return { waiting, ...(hasBack && { hasBack }) };
}

function bytesOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { id }) => sum + Buffer.byteLength(id) + 12, 0);
}

function sorted(entries: readonly Entry[]): Entry[] {
  return [...entries].sort((a, b) => a.seq - b.seq || (a.id < b.id ? -1 : 1));
}
