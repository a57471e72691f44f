import { isKey } from '../record/key.js';
import type { Item } from '../record/record.js';
import { StoreUnavailableError } from '../store/errors.js';
import type { HeldCount } from '../store/operator-store.js';
import type { SharedItems } from '../store/shared-items.js';
import type { Clock } from '../support/clock.js';
import { type Random, randomToken } from '../support/random.js';
import { heldLinesKey } from './names.js';

/**
 * Lines of a queue that may be held until an operator acts: by a dead record, or by a number that has not come and is not left out. The
 * monitor looks at them: one that goes on stays noted until then.
 */
export interface HeldKeys {
  /** The keys of their records, up to 100. */
  readonly keys: readonly string[];
  /** More were held than are noted: `RecordLines.list` finds all. */
  readonly hasMore: boolean;
}

/** The note of them: an item of the control table. */
export interface HeldNote extends HeldKeys {
  /** New at each write. Undefined: there is no item, or it has none that is text. */
  readonly rev: string | undefined;
}

/** Keys in a note: its item has 25 KB at most. */
export const MAX_HELD_KEYS = 100;
const MAX_TRIES = 12;
const BACKOFF_MS = 15;

/** Reads a note. What is no key counts as absent. */
export function parseHeldNote(item: Item | undefined): HeldNote {
  const { rev, keys, hasMore } = item ?? {};
  return {
    rev: typeof rev === 'string' ? rev : undefined,
    keys: Array.isArray(keys) ? keys.filter(isKey) : [],
    hasMore: hasMore === true,
  };
}

/** The counts of notes, by queue, without those that name no line. */
export function heldIn(items: ReadonlyMap<string, Item>): ReadonlyMap<string, HeldCount> {
  return new Map(
    [...items].flatMap(([queue, item]): [string, HeldCount][] => {
      const { keys, hasMore } = parseHeldNote(item);
      return keys.length > 0 || hasMore ? [[queue, { keys: keys.length, hasMore }]] : [];
    }),
  );
}

/** A line that is held. */
export interface HeldKey {
  /** The key of its records. */
  readonly key: string;
  /** It was not before: the note is written in any case, as the monitor may just have found that the line goes on. */
  readonly isNew: boolean;
}

/**
 * Notes lines of a queue that are held. Called behind the write of a line, and again if its change comes again.
 *
 * @throws StoreError
 */
export async function noteHeld(
  queue: string,
  held: readonly HeldKey[],
  { lines, clock, random }: { readonly lines: SharedItems; readonly clock: Clock; readonly random: Random },
): Promise<void> {
  const name = heldLinesKey(queue);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (tries > 0) await clock.sleep(BACKOFF_MS * 2 ** Math.min(tries, 6) * random());
    const note = parseHeldNote((await lines.read([name])).get(name));
    const all = [...new Set([...note.keys, ...held.map(({ key }) => key)])];
    const hasMore = note.hasMore || all.length > MAX_HELD_KEYS;
    const keys = all.slice(0, MAX_HELD_KEYS);
    const isSame = keys.length === note.keys.length && hasMore === note.hasMore;
    if (isSame && !held.some(({ isNew }) => isNew)) return;
    if (await lines.write(name, { keys, hasMore, rev: randomToken(random) }, note.rev)) return;
  }
  throw new StoreUnavailableError('others change the note of held lines all the time');
}
