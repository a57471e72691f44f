import { describe, expect, it } from 'vitest';
import { type BacklogRecord, holdOf } from '../../src/record/index.js';
import type { OperatorStore } from '../../src/store/operator-store.js';
import { playLongAttempts } from './long-attempt-worlds.js';
import { replacing } from './replacing.js';

const WORLDS = 3;

/** The record as if it was not to be cancelled. */
const wanted = (record: BacklogRecord): BacklogRecord => {
  const until = holdOf(record);
  return until === undefined ? record : { ...record, notBefore: { until } };
};

/** A store in which no process hears of a request to cancel. */
const unheard = (store: OperatorStore): OperatorStore => {
  const get = async (id: string) => {
    const found = await store.records.get(id);
    return found && wanted(found);
  };
  return replacing({ records: { get } }, store);
};

/** A store that forgets requests to cancel where a record is read for its attempt. */
const forgotten = (store: OperatorStore): OperatorStore =>
  replacing(
    {
      pages: {
        read: async (ids, queue) => {
          const page = await store.pages.read(ids, queue);
          return { ...page, records: page.records.map(wanted) };
        },
      },
    },
    store,
  );

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

  it.each([
    ['no process hears that its record is cancelled', unheard],
    ['a run does not see that the attempt it finds lost was to end', forgotten],
  ])('fail where %s', async (_, store) => {
    const { violations } = await playLongAttempts(10, { store });
    expect(violations.join('\n')).toMatch(/attempts r\d+, which was cancelled/);
  });

  it('fail where the record does not say that it is under attempt', async () => {
    const { violations } = await playLongAttempts(2, { store: unheld });
    expect(violations.join('\n')).toMatch(/attempts r\d+, as worker \d+ does/);
  });
});
