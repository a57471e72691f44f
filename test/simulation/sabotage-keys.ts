import { replacing } from './replacing.js';
import { withoutLease } from './sabotage.js';
import type { Sabotage } from './world.js';

/** A sabotage: records go into lanes of keys that no item names. */
export const withoutNotesOfKeys: Sabotage = {
  store: (store) => replacing({ queues: { noteBusyKeys: async () => true } }, store),
  hasKeys: true,
};

/** A sabotage: the notes of keys are removed as soon as they are read again. */
export const withoutLastingNotesOfKeys: Sabotage = {
  store: (store) =>
    replacing(
      {
        queues: {
          noteBusyKeys: (queue, next, read) =>
            store.queues.noteBusyKeys(queue, read === undefined ? next : undefined, read),
        },
      },
      store,
    ),
  hasKeys: true,
};

/** A sabotage: each run has all slots of the keys that it asks for, whatever other runs have. */
export const withoutSlotsOfOthers: Sabotage = {
  store: (store) => replacing({ keySlots: { take: async (_, { wanted }) => wanted } }, store),
  hasKeys: true,
  concurrencyPerKey: 1,
};

/** A sabotage: each run has all permits of keys that it asks for, at once. */
export const withoutPermitsOfOthers: Sabotage = {
  store: (store) =>
    replacing(
      {
        permits: {
          acquire: (queue, permits) =>
            permits.key === undefined ? store.permits.acquire(queue, permits) : Promise.resolve(permits.now),
        },
      },
      store,
    ),
  hasKeys: true,
  attemptsPerSecondPerKey: 0.02,
};

/** A sabotage: every run acquires the leases of keys' lanes. */
export const withoutLeaseOfKeys: Sabotage = { ...withoutLease, hasKeys: true };

/** A sabotage: no run sees that a key is paused. */
export const withoutKeyPauses: Sabotage = {
  hasKeys: true,
  store: (store) =>
    replacing(
      {
        pages: {
          read: async (ids, queue) => {
            const page = await store.pages.read(ids, queue);
            return { ...page, queue: { ...page.queue, pausedKeys: undefined } };
          },
        },
      },
      store,
    ),
};
