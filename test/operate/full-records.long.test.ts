import { describe, expect, it } from 'vitest';
import { itemBytes, MAX_ITEM_BYTES } from '../../src/record/item-size.js';
import { raceStores } from './race-stores.js';
import { sceneIn } from './race-world.js';

/** Bytes of an item below the limit of 400 KB. */
const SPARE_BYTES = [0, 20, 60, 150, 300, 500, 600, 700, 900, 1_100, 1_400, 1_700, 2_100, 2_700, 3_500];
const FURTHER_BYTES = [4_203, 5_000, 6_500, 8_403, 12_000, 16_000, 18_000];
const ATTEMPTS = 6;
const RETRY = { type: 'constant', interval: 60, jitter: 'none', maxAttempts: ATTEMPTS };
/** A failure needs so much, without its texts. */
const OUTCOME_BYTES = 512;
const fails = () => {
  throw new RangeError('m'.repeat(400));
};

describe.each(raceStores())('on %s, a record near the limit of an item', (name, current) => {
  const scene = sceneIn(current);
  const spares = name === 'DynamoDB' ? [...SPARE_BYTES, ...FURTHER_BYTES] : SPARE_BYTES;
  const choices = spares.flatMap((spare) => [512, 16_384].map((bytes) => [spare, bytes] as const));

  it.each(choices)(
    'with %i spare bytes and a history of %i has all of its attempts, or none',
    (spare, bytes) =>
      scene(async (its) => {
        const put = { failures: 0, attempts: 0, lane: its.queue, retry: RETRY };
        await its.put({ ...put, payload: '' });
        const empty = itemBytes(await its.item());
        await its.put({ ...put, payload: 'x'.repeat(MAX_ITEM_BYTES - empty - spare) });
        for (let i = 0; i < ATTEMPTS; i++) {
          await its.run(fails, { history: { bytes, entries: 100 } });
          await its.clock.sleep(61_000);
        }
        const { payload: _, ...item } = await its.item();
        expect(item).toMatchObject({ status: 'DEAD' });
        expect(spare >= OUTCOME_BYTES ? [ATTEMPTS] : [0, ATTEMPTS]).toContain(its.attempts.length);
        // The one that has no room at all leaves the index.
        const isAmongTheDead = item.lane === `${its.queue}/dead` && item.dueAt !== undefined;
        expect(isAmongTheDead).toBe(spare >= 20 || name !== 'DynamoDB');
        if (its.attempts.length > 0)
          expect(item).toMatchObject({ attempts: ATTEMPTS, deadReason: 'maxAttempts' });
      })(),
  );
});
