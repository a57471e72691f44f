import type { Clock } from '../clock.js';
import { type Random, randomToken } from '../random.js';
import { type BacklogRecord, isMisplaced, place } from '../record/index.js';
import { isOfOneRecord } from '../store/errors.js';
import type { BacklogStore } from '../store/store.js';
import type { AttemptLogger } from './options.js';

/** Writes at once. */
const CONCURRENCY = 25;

export interface PlacingParts {
  readonly store: BacklogStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: AttemptLogger;
  /** Default: no queue has shards. */
  readonly shardsOf?: ((queue: string) => number) | undefined;
}

export interface Placed {
  /** As they were read: `problems` names what was written anew. */
  readonly placed: readonly BacklogRecord[];
  /** Gone, done, or given their place by somebody else. */
  readonly skipped: number;
  /** DynamoDB takes no change of them (an item of 400 KB has no room for its place). */
  readonly refused: number;
}

/**
 * Gives records that no rule finds (put without `lane`, or dead and set to `NEW` by hand) their place in the index:
 * those of whom nobody else can have any in hand. Who has a place, or is done, is left alone. May be repeated at
 * will.
 *
 * @param gone ids that were asked for, and have no record
 * @throws StoreError that is not of one record alone; who was placed before it stays so
 */
export async function placeAll(
  records: readonly BacklogRecord[],
  gone: number,
  { store, clock, random, logger, shardsOf = () => 1 }: PlacingParts,
): Promise<Placed> {
  const waiting = records.filter(isMisplaced);
  const placed: BacklogRecord[] = [];
  let skipped = gone + records.length - waiting.length;
  let refused = 0;
  const placeOne = async (record: BacklogRecord) => {
    try {
      const change = place(record, clock.now(), shardsOf(record.queue));
      const answer = await store.settle(record, change, randomToken(random));
      if (answer === 'settled') placed.push(record);
      else skipped++;
    } catch (error) {
      if (!isOfOneRecord(error)) throw error;
      refused++;
      logger.error('a record cannot be given its place', { id: record.id, reason: (error as Error).message });
    }
  };
  for (let i = 0; i < waiting.length; i += CONCURRENCY) {
    await Promise.all(waiting.slice(i, i + CONCURRENCY).map(placeOne));
  }
  return { placed, skipped, refused };
}
