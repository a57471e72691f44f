import { describe, expect, it } from 'vitest';
import { holdOf } from '../../src/record/index.js';
import type { OperatorStore } from '../../src/store/operator-store.js';
import { playLongAttempts } from './long-attempt-worlds.js';
import { replacing } from './replacing.js';

const WORLDS = 3;

/** A store to which the holds of attempts do not come through. */
const unheld = (store: OperatorStore): OperatorStore =>
  replacing(
    {
      records: {
        settle: async (record, change, rev) => {
          const { dueAt: _, notBefore: __, ...set } = change.set;
          return store.records.settle(
            record,
            holdOf(change.set) === undefined ? change : { ...change, set },
            rev,
          );
        },
      },
    },
    store,
  );

describe('worlds of long attempts', () => {
  it('have no record attempted twice at once, nor after its success, and bring each to its end', async () => {
    const { violations, long, asked, aborted, won } = await playLongAttempts(WORLDS);
    expect(violations).toEqual([]);
    expect(long).toBeGreaterThan(WORLDS);
    for (const count of [asked, aborted, won]) expect(count).toBeGreaterThan(0);
  });

  it('fail where the record does not say that it is under attempt', async () => {
    const { violations } = await playLongAttempts(2, { store: unheld });
    expect(violations.join('\n')).toMatch(/attempts r\d+, as worker \d+ does/);
  });
});
