import type { BacklogRecord, Item } from '../record/record.js';
import type { OperatorSharedItems } from '../store/shared-items.js';
import type { RecordStore } from '../store/store.js';
import { type Random, randomToken } from '../support/random.js';
import { type Line, parseLine } from './line.js';
import { heldLinesKey, LINE_PREFIX, lineKey } from './names.js';
import { type HeldNote, MAX_HELD_KEYS, parseHeldNote } from './note-held.js';
import { holdsLine } from './rules.js';

/** A line that is held until an operator acts. */
export interface HeldLine {
  /** The key of its records. */
  readonly key: string;
  /** `dead`: its head is dead. `missing`: a number has not come. */
  readonly why: 'dead' | 'missing';
  /** The time since which it is held, epoch milliseconds of the backlog's time. */
  readonly since: number;
}

/** The lines of a queue that are held. */
export interface HeldLines {
  readonly lines: readonly HeldLine[];
  /** There may be more. */
  readonly hasMore: boolean;
}

export interface HeldLinesDeps {
  readonly lines: OperatorSharedItems;
  readonly records: Pick<RecordStore, 'getMany'>;
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  readonly random: Random;
  /** Tells whether there is time for another page of a search. */
  readonly hasTime: () => boolean;
}

/** Lines whose heads are read at once. */
const LINES_AT_ONCE = 25;

/**
 * Looks at the lines of a queue that are noted as held, and drops those from the note that go on. While none is noted that costs a read
 * unit; otherwise one for each of up to 100 lines, and their dead records. Once few are left of a note that was too long, all lines of the
 * queue are searched for others: that reads the control table, and the heads of the queue's lines.
 *
 * @throws StoreError, and Error if no time was left
 */
export async function tidyHeldLines(queue: string, deps: HeldLinesDeps): Promise<HeldLines> {
  const { note, found: noted } = await look(queue, deps);
  const isShort = noted.hasMore && noted.lines.length < MAX_HELD_KEYS / 2;
  if (noted.lines.length === note.keys.length && !isShort) return noted;
  const found = isShort ? await search(queue, deps) : noted;
  const name = heldLinesKey(queue);
  // If another process has changed the note meanwhile, it is tidied at the next look.
  if (found.lines.length === 0 && !found.hasMore && note.rev !== undefined) {
    await deps.lines.remove(name, note.rev);
    return found;
  }
  const keys = found.lines.map(({ key }) => key);
  await deps.lines.write(name, { keys, hasMore: found.hasMore, rev: randomToken(deps.random) }, note.rev);
  return found;
}

async function look(queue: string, deps: HeldLinesDeps): Promise<{ note: HeldNote; found: HeldLines }> {
  const name = heldLinesKey(queue);
  const note = parseHeldNote((await deps.lines.read([name])).get(name));
  const keys = note.keys.map((key) => lineKey({ queue, key }));
  const items = keys.length === 0 ? new Map<string, Item>() : await deps.lines.read(keys);
  const lines = note.keys.flatMap((key): [string, Line][] => {
    const item = items.get(lineKey({ queue, key }));
    return item ? [[key, parseLine(item)]] : [];
  });
  return { note, found: { lines: await heldOf(lines, deps), hasMore: note.hasMore } };
}

/**
 * Searches all lines of the queue, until as many are found as a note takes.
 *
 * @throws Error if no time was left to find any: it is not known then that none is held
 */
async function search(queue: string, deps: HeldLinesDeps): Promise<HeldLines> {
  const prefix = `${LINE_PREFIX}${queue}#`;
  const held: HeldLine[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await deps.lines.scan({ prefix, attributes: ['head', 'gapSince'], after });
    const lines = items.map((item): [string, Line] => [
      String(item.key).slice(prefix.length),
      parseLine(item),
    ]);
    held.push(...(await heldOf(lines, deps)));
    after = next;
  } while (after !== undefined && held.length < MAX_HELD_KEYS && deps.hasTime());
  if (after !== undefined && held.length === 0)
    throw new Error(`no time was left to search the lines of ${queue} for those that are held`);
  return {
    lines: held.slice(0, MAX_HELD_KEYS),
    hasMore: after !== undefined || held.length > MAX_HELD_KEYS,
  };
}

async function heldOf(
  lines: readonly [string, Line][],
  { records, now }: HeldLinesDeps,
): Promise<HeldLine[]> {
  const held: HeldLine[] = [];
  const heads = new Map<string, string>();
  for (const [key, { head, gapSince }] of lines) {
    if (head) heads.set(head.id, key);
    else if (gapSince !== undefined) held.push({ key, why: 'missing', since: Math.min(gapSince, now) });
  }
  const ids = [...heads.keys()];
  for (let at = 0; at < ids.length; at += LINES_AT_ONCE) {
    for (const record of await records.getMany(ids.slice(at, at + LINES_AT_ONCE))) {
      const key = heads.get(record.id);
      if (key !== undefined && holdsLine(record))
        held.push({ key, why: 'dead', since: deathOf(record, now) });
    }
  }
  return held;
}

/** The time of a death: the due time of a dead record. One that cannot be read is now. */
function deathOf({ dueAt }: BacklogRecord, now: number): number {
  const at = Date.parse(dueAt ?? '');
  return Number.isNaN(at) ? now : Math.min(at, now);
}
