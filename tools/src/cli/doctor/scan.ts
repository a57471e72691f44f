import type { Item } from 'dynamo-backlog/engine';
import type { RawItems } from '../../../../src/store/dynamodb/raw-items.js';

const SEGMENTS = 4;
/**
 * Limit from which a table is read in parts: below it, one part would take all of the room, and leave none to the
 * others.
 */
const MANY_ITEMS = 10_000;
const PAGE_ITEMS = 1000;

/**
 * Looks at the items of a table, or at as many of them as wanted. Gives how many that were, and whether they were all.
 */
export async function lookAtAll(
  items: RawItems,
  limit: number,
  look: (item: Item) => void,
  { signal, onPage }: { readonly signal: AbortSignal; readonly onPage: (looked: number) => void },
): Promise<{ readonly looked: number; readonly all: boolean }> {
  let looked = 0;
  let promised = 0;
  const segments = limit < MANY_ITEMS ? 1 : SEGMENTS;
  const segment = async (number: number) => {
    let after: string | undefined;
    do {
      const room = Math.min(PAGE_ITEMS, limit - promised);
      if (room <= 0 || signal.aborted) return false;
      promised += room;
      const page = await items.page({ number, of: segments }, after, room);
      for (const item of page.items) look(item);
      looked += page.items.length;
      promised -= room - page.items.length;
      onPage(looked);
      after = page.next;
    } while (after !== undefined);
    return true;
  };
  const ends = await Promise.all(Array.from({ length: segments }, (_, number) => segment(number)));
  return { looked, all: ends.every((end) => end) };
}
