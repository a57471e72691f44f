import { replacing } from './replacing.js';
import type { Sabotage } from './world.js';

/** Settles are written whatever stands there by now. */
export const withoutFence: Sabotage = {
  store: (store) =>
    replacing(
      {
        records: {
          settle: async (record, change, rev) => {
            const current = await store.records.get(record.id);
            return current ? store.records.settle(current, change, rev) : 'changed';
          },
        },
      },
      store,
    ),
};

/** Attempts get the engine's own record. */
export const withoutCopy: Sabotage = { givesItsOwn: true };

/** A run that takes a lease over does not learn what was in flight. */
export const withoutJournal: Sabotage = {
  store: (store) =>
    replacing(
      {
        leases: {
          takeOver: async (key, from, to) => {
            const taken = await store.leases.takeOver(key, from, to);
            return taken && { ...taken, ids: [], suspects: [] };
          },
        },
      },
      store,
    ),
};

/** The journal of a page names no record that one of its run has named before. */
export const withoutEarlierPages: Sabotage = {
  store: (store) => {
    const named = new Map<string, ReadonlySet<string>>();
    return replacing(
      {
        leases: {
          hold: (key, held) => {
            const earlier = named.get(held.holder) ?? new Set();
            if (held.begun) return store.leases.hold(key, held);
            named.set(held.holder, new Set([...earlier, ...held.ids]));
            return store.leases.hold(key, { ...held, ids: held.ids.filter((id) => !earlier.has(id)) });
          },
        },
      },
      store,
    );
  },
};

/** Each run keeps the pace by itself. */
export const withoutSharedPermits: Sabotage = {
  store: (store) => replacing({ permits: { acquire: async (_, { now }) => now } }, store),
  scenario: (scenario) => ({ ...scenario, limits: { ...scenario.limits, attemptsPerSecond: 0.05 } }),
};

/** Every run may make the probe. */
export const withoutProbeClaim: Sabotage = {
  store: (store) =>
    replacing({ breakers: { set: (...args) => store.breakers.set(...args).then(() => true) } }, store),
  scenario: (scenario) => ({
    ...scenario,
    breaker: { failureThreshold: 0.1, minimumAttempts: 1, window: 60, halfOpenAfter: 10 },
  }),
};

/** Every run acquires the lease. */
export const withoutLease: Sabotage = {
  store: (store) => replacing({ leases: { hold: async () => ({ held: true }) } }, store),
};

/** Whatever a group says of a change counts as written. */
export const withoutAnswersOfGroups: Sabotage = {
  scenario: (scenario) => ({
    ...scenario,
    faults: { ...scenario.faults, misread: 1 } as typeof scenario.faults,
  }),
};

/** A success that is to come again is due at once. */
export const withoutWaitForAgain: Sabotage = {
  comesAgain: true,
  store: (store) =>
    replacing(
      {
        records: {
          settle: (record, change, rev) => {
            const { set, countedAs } = change;
            const dueAt = set.lastAttemptAt ?? '';
            const isAgain = countedAs === 'succeeded';
            const made = isAgain ? { ...change, set: { ...set, availableAt: dueAt, dueAt } } : change;
            return store.records.settle(record, made, rev);
          },
        },
      },
      store,
    ),
};
