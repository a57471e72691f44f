import { replacing } from './replacing.js';
import type { Sabotage } from './world.js';

/** Nobody's claim keeps anybody from anything. */
export const withoutClaims: Sabotage = {
  store: (store) =>
    replacing(
      {
        claimArrivals: async () => 'claimed',
        claimedArrivals: async () => ({ ids: [], neverIn: [] }),
      },
      store,
    ),
};

/** Only the runs claim: who gives records their place waits for nobody. */
export const withoutWaiting: Sabotage = {
  store: (store) =>
    replacing(
      {
        claimArrivals: async (queue, claim) =>
          claim.maxRuns === undefined ? 'claimed' : store.claimArrivals(queue, claim),
        claimedArrivals: async () => ({ ids: [], neverIn: [] }),
      },
      store,
    ),
};

/** What the library has never written is settled whatever stands there by now. */
export const withoutFenceOfBare: Sabotage = {
  store: (store) =>
    replacing(
      {
        settle: async (record, change, rev) => {
          const current = record.rev === undefined ? await store.get(record.id) : record;
          return current ? store.settle(current, change, rev) : 'changed';
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
        endLease: (key, { until }) => store.endLease(key, { holderPrefix: '', until }),
        endClaims: (queue, { until }) => store.endClaims(queue, { holderPrefix: '', until }),
        endSlots: (queues, { until }) => store.endSlots(queues, { holderPrefix: '', until }),
      },
      store,
    ),
};

export const withoutSweep: Sabotage = { noSweep: true };

export const withoutOnFailure: Sabotage = { noOnFailure: true };
