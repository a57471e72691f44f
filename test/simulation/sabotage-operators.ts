import { replacing } from './replacing.js';
import type { Sabotage } from './world.js';

/** A record that is moved to another lane is due there at once, even if a run attempts it in the previous one. */
export const withoutHold: Sabotage = {
  store: (store) =>
    replacing(
      {
        records: {
          change: (record, change, rev) => {
            const { notBefore, status, ...set } = change.set;
            const dueAt = record.dueAt === undefined ? {} : { dueAt: record.dueAt };
            const isMove = typeof notBefore === 'object' && status === undefined;
            return store.records.change(
              record,
              isMove ? { ...change, set: { ...set, ...dueAt } } : change,
              rev,
            );
          },
        },
      },
      store,
    ),
};

/** Operators see no lease of a run. */
export const withoutLook: Sabotage = {
  store: (store) => replacing({ leases: { readAll: async () => new Map() } }, store),
};

/** Operators write whatever stands there by now. */
export const withoutOperatorsFence: Sabotage = {
  store: (store) =>
    replacing(
      {
        records: {
          change: async (record, change, rev) => {
            const current = await store.records.get(record.id);
            return current ? store.records.change(current, change, rev) : 'changed';
          },
        },
      },
      store,
    ),
};
