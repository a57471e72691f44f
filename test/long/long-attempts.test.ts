import { describe, expect, it } from 'vitest';
import { type BacklogRecord, holdOf } from '../../src/record/index.js';
import type { OperatorStore } from '../../src/store/operator-store.js';
import { playLongAttempts } from '../simulation/long-attempt-worlds.js';
import { replacing } from '../simulation/replacing.js';

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

it('60 more worlds of long attempts have none attempted twice at once', async () => {
  const { violations } = await playLongAttempts(Number(process.env.SIMULATION_WORLDS ?? 60), {}, 1_000);
  expect(violations).toEqual([]);
});

describe('worlds of long attempts', () => {
  it.each([
    ['no process hears that its record is cancelled', unheard],
    ['a run does not see that the attempt it finds lost was to end', forgotten],
  ])('fail where %s', async (_, store) => {
    const { violations } = await playLongAttempts(10, { store });
    expect(violations.join('\n')).toMatch(/attempts r\d+, which was cancelled/);
  });
});
