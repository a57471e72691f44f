import { isDeepStrictEqual } from 'node:util';
import { NO_FEATURES } from './features.js';
import { replacing } from './replacing.js';
import { withoutFence, withoutLease } from './sabotage.js';
import type { Sabotage } from './world.js';

/** The fence of a bare record compares the payload alone. */
export const withFenceOfPayloadOnly: Sabotage = {
  store: (store) =>
    replacing(
      {
        records: {
          settle: async (record, change, rev) => {
            const current = record.rev === undefined ? await store.records.get(record.id) : undefined;
            const isSame = current?.rev === undefined && isDeepStrictEqual(current?.payload, record.payload);
            return store.records.settle(current && isSame ? current : record, change, rev);
          },
        },
      },
      store,
    ),
  features: () => ({ ...NO_FEATURES, overwrites: true }),
};

/** A run attempts whatever is due, whether it knows its task or not. */
export const withoutTasks: Sabotage = {
  knowsAll: true,
  features: () => ({ ...NO_FEATURES, taskKnownFromMs: 600_000 }),
};

/** Each run has as many attempts at a time as it likes. */
export const withoutSlots: Sabotage = {
  store: (store) => replacing({ slots: { take: async (_, { wanted }) => wanted } }, store),
  features: () => ({ ...NO_FEATURES, globalConcurrency: 2 }),
};

/** Every run acquires the leases of a queue with many shards. */
export const withoutLeaseOfShards: Sabotage = {
  ...withoutLease,
  features: () => ({ ...NO_FEATURES, shards: 12 }),
};

/** Two clocks that differ by a little: a lease is taken over as soon as it has run out by one's own. */
export const withoutTolerance: Sabotage = {
  store: (store) =>
    replacing(
      {
        leases: {
          hold: async (key, hold) => {
            const answer = await store.leases.hold(key, hold);
            if (answer.held || !answer.lease) return answer;
            return { ...answer, lease: { ...answer.lease, until: answer.lease.until - 60_000 } };
          },
        },
      },
      store,
    ),
  features: () => ({ ...NO_FEATURES, clockJumps: { chance: 0.05, mostMs: 2_000 } }),
};

/** A write that arrives once more is written once more. */
export const withoutFenceAgainstLateRepeats: Sabotage = {
  ...withoutFence,
  features: () => ({ ...NO_FEATURES, lateRepeat: 0.2 }),
};

/** A sabotage: the late writes of a thawed sandbox go through. */
export const withoutFenceAgainstThaws: Sabotage = {
  ...withoutFence,
  features: () => ({ ...NO_FEATURES, thaws: true }),
};

/** A sabotage in which two runs hold one lane, as the lease of one was lost with its table. */
export const withoutFenceAgainstRestores: Sabotage = {
  ...withoutFence,
  features: () => ({ ...NO_FEATURES, controlTable: { atMs: 300_000, asOfMs: undefined } }),
};

/** A sabotage: records that wait again keep the expiry that their success had given them. */
export const withoutRemovalOfExpiry: Sabotage = {
  store: (store) => {
    const keeping = <Change extends { readonly remove: readonly string[] }>(change: Change): Change => ({
      ...change,
      remove: change.remove.filter((name) => name !== 'expiresAt'),
    });
    return replacing(
      {
        records: {
          settle: (record, change, rev) => store.records.settle(record, keeping(change), rev),
          change: (record, change, rev) => store.records.change(record, keeping(change), rev),
        },
      },
      store,
    );
  },
  features: () => ({ ...NO_FEATURES, expiry: { retention: 60, isLate: true } }),
};

/** A page is read as the index is: some seconds late. */
export const withStaleReads: Sabotage = {
  store: (store) => {
    const previous = new Map<string, Awaited<ReturnType<typeof store.records.getMany>>[number]>();
    return replacing(
      {
        records: {
          settle: async (record, change, rev) => {
            previous.set(record.id, record);
            return store.records.settle(record, change, rev);
          },
        },
        pages: {
          read: async (ids, queue) => {
            const { records, ...page } = await store.pages.read(ids, queue);
            return { ...page, records: records.map((record) => previous.get(record.id) ?? record) };
          },
        },
      },
      store,
    );
  },
  features: () => ({ ...NO_FEATURES, itemLag: true }),
};
