import { run } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { withoutLease as withoutLeaseOfStore } from '../simulation/sabotage.js';
import { withoutClaims as withoutClaimsOfStore } from '../simulation/sabotage-arrivals.js';
import type { Lags } from './replication.js';
import type { Scenario } from './scenario.js';
import type { Sabotage, Variables } from './site.js';

/** The operator's command does not see the runs at work. */
export const withoutWaitForRuns: Sabotage = {
  operatorStore: (store) => replacing({ control: { readRuns: async () => [] } }, store),
  scenario: (scenario) => withAttempts(scenario, 180_000, { late: 0, latestMs: 0 }),
};

/** The operator's command finds nothing to compare. What runs write last arrives late. */
export const withoutComparison: Sabotage = {
  operatorStore: (store) => replacing({ pages: { query: async () => ({ keys: [], more: false }) } }, store),
  scenario: (scenario) => withAttempts(scenario, 60_000, { late: 0.5, latestMs: 240_000 }),
};

/** The intake takes itself for the only one. */
export const withActiveIntake: Sabotage = { intakeEnv: withoutOwnRegion };

/** Functions take themselves for the only ones. */
export const withoutRegion: Sabotage = { functionEnv: withoutOwnRegion };

/** A run asks once whether its region is the active one, and not before each page. */
export const withoutLookAtPages: Sabotage = {
  run: (options, deps) => run({ ...options, isPassive: undefined }, deps),
  // A pile that takes longer than the time that is allowed.
  scenario: (scenario) => ({
    ...scenario,
    concurrency: 1,
    attemptTimeout: 30,
    scripts: scenario.scripts.map((script) => ({ ...script, put: 'indexed', attemptMs: [20_000] })),
  }),
};

/** A function that cannot look up which region is active goes on with what it knew. */
export const withOldKnowledge: Sabotage = {
  store: (store) => {
    let known: Awaited<ReturnType<typeof store.activeRegion.read>>;
    let reads = 0;
    const readActiveRegion = async () => {
      if (reads++ % 5 === 0) known = await store.activeRegion.read();
      return known;
    };
    return replacing({ activeRegion: { read: readActiveRegion } }, store);
  },
};

/** Both stacks hold the lease of a lane. */
export const withoutLease: Sabotage = { store: withoutLeaseOfStore.store };

/** Neither stack's claim keeps the other one from anything. */
export const withoutClaims: Sabotage = {
  store: withoutClaimsOfStore.store,
  scenario: (scenario) => ({ ...scenario, isOnArrival: true }),
};

/** Runs end late. */
function withAttempts(scenario: Scenario, leastMs: number, lags: Lags): Scenario {
  const scripts = scenario.scripts.map((script) => ({
    ...script,
    attemptMs: script.attemptMs.map((ms) => leastMs + (ms % 50_000)),
  }));
  return { ...scenario, attemptTimeout: 240, lags, scripts };
}

function withoutOwnRegion({ AWS_REGION: _, ...env }: Variables): Variables {
  return env;
}
