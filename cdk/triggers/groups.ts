import { hash32 } from '../../src/support/hash.js';

/** Some of the items, and the bits that the hashes of their names begin with: '' where there is one group. */
export interface Group<Item> {
  readonly bits: string;
  readonly items: readonly Item[];
}

/** Bits of a hash. */
const MAX_BITS = 32;

/**
 * Puts items into groups that fit, by the hashes of their names. A group that does not fit is halved, by the next bit. So
 * an item more or less changes its own group, or halves it, and no other item moves.
 *
 * @param nameOf unique names
 */
export function grouped<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  fits: (items: readonly Item[]) => boolean,
  bits = '',
): Group<Item>[] {
  if (items.length === 0) return [];
  if (fits(items) || items.length === 1 || bits.length === MAX_BITS) return [{ bits, items }];
  return ['0', '1'].flatMap((bit) => {
    const half = items.filter((item) => bitOf(nameOf(item), bits.length) === bit);
    return grouped(half, nameOf, fits, bits + bit);
  });
}

function bitOf(name: string, index: number): string {
  return String((hash32(name) >>> index) & 1);
}
