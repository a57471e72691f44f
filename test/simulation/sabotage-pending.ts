import { replacing } from './replacing.js';
import type { Sabotage } from './world.js';

/** A call from outside ends whatever attempt a record waits for. */
export const withoutTokens: Sabotage = { hasPending: true, comparesNoToken: true };

/** An end that comes before its attempt has settled is dropped. */
export const withoutEarlyEnds: Sabotage = {
  hasPending: true,
  store: (store) =>
    replacing(
      {
        records: {
          note: (record, note) =>
            note.completion === undefined ? store.records.note(record, note) : Promise.resolve('settled'),
        },
      },
      store,
    ),
};

/** An attempt whose end was given from outside meanwhile has the outcome that it came to itself. */
export const withoutFenceOfEnds: Sabotage = {
  hasPending: true,
  store: (store) =>
    replacing(
      {
        records: {
          settle: async (record, change, rev) => {
            const answer = await store.records.settle(record, change, rev);
            const now = answer === 'changed' ? await store.records.get(record.id) : undefined;
            if (now?.rev !== record.rev || now?.completion === undefined) return answer;
            return store.records.settle(now, change, rev);
          },
        },
      },
      store,
    ),
};
