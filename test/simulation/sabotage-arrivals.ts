import { replacing } from './replacing.js';
import type { Sabotage } from './world.js';

/** Claims are always granted and never found, so they exclude no other run. */
export const withoutClaims: Sabotage = {
  store: (store) =>
    replacing(
      {
        claims: {
          take: async () => 'claimed',
          find: async () => ({ ids: [], neverIn: [] }),
        },
      },
      store,
    ),
};

/** Only the runs claim records: the intake indexes them without a wait for a run. */
export const withoutWaiting: Sabotage = {
  store: (store) =>
    replacing(
      {
        claims: {
          take: async (queue, claim) =>
            claim.maxRuns === undefined ? 'claimed' : store.claims.take(queue, claim),
          find: async () => ({ ids: [], neverIn: [] }),
        },
      },
      store,
    ),
};

/** A sabotage: records that the library has never written are settled, whatever stands there by now. */
export const withoutFenceOfBare: Sabotage = {
  store: (store) =>
    replacing(
      {
        records: {
          settle: async (record, change, rev) => {
            const current = record.rev === undefined ? await store.records.get(record.id) : record;
            return current ? store.records.settle(current, change, rev) : 'changed';
          },
        },
      },
      store,
    ),
};

/** A report of a death ends all leases, also those of other runs. */
export const withoutNames: Sabotage = {
  store: (store) =>
    replacing(
      {
        leases: { end: (key, { until }) => store.leases.end(key, { holderPrefix: '', until }) },
        claims: { end: (queue, { until }) => store.claims.end(queue, { holderPrefix: '', until }) },
        slots: { end: (queues, { until }) => store.slots.end(queues, { holderPrefix: '', until }) },
        keySlots: { end: (queues, { until }) => store.keySlots.end(queues, { holderPrefix: '', until }) },
      },
      store,
    ),
};

export const withoutSweep: Sabotage = { noSweep: true };

export const withoutOnFailure: Sabotage = { noOnFailure: true };
