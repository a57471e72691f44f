import { randomToken } from '../random.js';
import type { BacklogRecord } from '../record/index.js';
import { isMisplaced } from '../record/index.js';
import { StoreError } from '../store/errors.js';
import { CLOCK_SKEW_MS } from './lease.js';
import { type Placed, type PlacingParts, placeAll } from './placing.js';

/** Longer than whoever gives records their place lives: until then, nobody else may have them. */
const CLAIM_MS = 60_000;

export interface PlacedWhenFree extends Placed {
  /** Somebody has these in hand: they must be asked for again later. */
  readonly waiting: readonly string[];
}

interface WhereElse {
  /** Queues that the records may have been in when a run was given them. Default: those they are in now, alone. */
  readonly formerQueues?: readonly string[] | undefined;
  /** Queues whose records are attempted as they come. Default: any may be. */
  readonly onArrival?: ReadonlyMap<string, unknown> | undefined;
}

/**
 * Gives records their place in the index that nobody is attempting without it: one that were placed meanwhile would be
 * attempted by a rule at the same time. Nobody begins to attempt them while that is done.
 *
 * @throws StoreError that is not of one record alone; may be repeated
 */
export async function placeWhenFree(
  ids: readonly string[],
  parts: PlacingParts,
  { formerQueues = [], onArrival }: WhereElse = {},
): Promise<PlacedWhenFree> {
  const records = await parts.store.readRecords(ids);
  const misplaced = records.filter(isMisplaced);
  const total = { placed: [] as BacklogRecord[], skipped: new Set(ids).size - misplaced.length, refused: 0 };
  const waiting: string[] = [];
  for (const queue of new Set(misplaced.map((record) => record.queue))) {
    const its = misplaced.filter((record) => record.queue === queue);
    const queues = [...new Set([queue, ...formerQueues])];
    const inHand = await parts.store.claimedArrivals(
      queues,
      its.map(({ id }) => id),
      parts.clock.wall() - CLOCK_SKEW_MS,
    );
    const free = its.filter(({ id }) => !inHand.ids.includes(id));
    waiting.push(...inHand.ids);
    const isLeftToRules = inHand.never && onArrival !== undefined && !onArrival.has(queue);
    const placed = isLeftToRules ? await placeAll(free, 0, parts) : await placeClaimed(queue, free, parts);
    if (!placed) waiting.push(...free.map(({ id }) => id));
    total.placed.push(...(placed?.placed ?? []));
    total.skipped += placed?.skipped ?? 0;
    total.refused += placed?.refused ?? 0;
  }
  return { ...total, waiting };
}

/** Undefined: somebody else was quicker. */
async function placeClaimed(
  queue: string,
  records: readonly BacklogRecord[],
  parts: PlacingParts,
): Promise<Placed | undefined> {
  const ids = records.map(({ id }) => id);
  if (ids.length === 0) return undefined;
  const { store, clock, random, logger } = parts;
  const holder = randomToken(random);
  const batch = `place/${holder}`;
  const now = clock.wall();
  const claim = { batch, holder, until: now + CLAIM_MS, ids, now: now - CLOCK_SKEW_MS };
  try {
    if ((await store.claimArrivals(queue, claim)) !== 'claimed') return undefined;
    return await placeAll(records, 0, parts);
  } finally {
    await store.releaseArrivals(queue, claim).catch((error) => {
      // Runs out by itself.
      if (!(error instanceof StoreError)) throw error;
      logger.warn('the claim on records could not be given back', { error: error.message });
    });
  }
}
