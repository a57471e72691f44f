import * as fc from 'fast-check';
import type { Item } from '../../src/record/index.js';
import { itemOfImage } from '../../src/store/index.js';
import { hostileItems } from '../fuzz/hostile-items.js';
import { between, chance, seededRandom } from './random.js';

interface HostileItem {
  readonly item: Item;
  readonly atMs: number;
}

const SEED = 0x7374;

/** Knows a hostile item by its id. test/fuzz checks the item itself; here it must not harm the records beside it. */
export function isHostile(id: unknown): boolean {
  return String(id).startsWith('h');
}

/** A few in one world of eight, and none in the others. */
export function hostileItemsOf(seed: number, horizonMs: number): HostileItem[] {
  const random = seededRandom(seed + SEED);
  if (!chance(random, 0.12)) return [];
  return fc.sample(hostileItems, { seed, numRuns: between(random, 1, 6) }).map((raw, i) => {
    const item = itemOfImage(raw) ?? {};
    const near = {
      ...(chance(random, 0.6) ? { queue: 'q' } : {}),
      ...('lane' in item && chance(random, 0.6) ? { lane: 'q' } : {}),
    };
    return { item: { ...item, ...near, id: `h${i}` }, atMs: between(random, 0, horizonMs) };
  });
}
