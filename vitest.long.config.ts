import { defineConfig } from 'vitest/config';
import { longestFirst } from './test/longest-first.js';
import { UnfinishedFiles } from './test/unfinished-files.js';
import { SOURCES } from './vitest.sources.js';

/**
 * The longest files, in an order in which no process waits for another at the end. The first one is measured, and takes about a core
 * by itself: the two that begin beside it wait for leases and clocks. So does the second one of poison, when the first has ended.
 */
const LONGEST = [
  'test/long/arrivals-pace.test.ts',
  'test/long/poison.test.ts',
  'test/long/arrivals.test.ts',
  'test/long/policies-doc.test.ts',
  'test/long/redrive.test.ts',
  'test/long/processes/reload.test.ts',
  'test/long/noisy-customer-picture.test.ts',
  'test/long/webhooks.test.ts',
  'test/long/diff.test.ts',
  'test/long/processes/poison.test.ts',
  'test/long/simulation.test.ts',
  'test/long/regions.test.ts',
  'test/monitoring/outages.long.test.ts',
  'test/keys/fairness.long.test.ts',
  'test/monitoring/random-faults.long.test.ts',
  'test/long/recurring-worlds.test.ts',
];

/** What `npm test` plays with less. */
const IN_FULL = [
  'test/schedules/outage.test.ts',
  'test/fuzz/in-memory.test.ts',
  'test/record/any-item.test.ts',
  'test/groups/group-worlds.test.ts',
  'test/lines/order-worlds.test.ts',
  'test/policies/rounding.test.ts',
  'test/record/retry-after.test.ts',
  'test/simulation/burst.test.ts',
];

/** Worlds on virtual time, which leave nothing behind in their process. */
const WORLDS = [
  'test/long/{simulation,sabotage,recurring-worlds,long-attempts,regions,regions-sabotage,year,spread}.test.ts',
];

/** What takes minutes: `npm run test:long`. It runs the built package, so build first. */
export default defineConfig({
  resolve: { alias: SOURCES },
  test: {
    reporters: ['default', new UnfinishedFiles()],
    globalSetup: 'test/temporary-folder.ts',
    testTimeout: 300_000,
    hookTimeout: 60_000,
    // See vitest.config.ts.
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.cache/vitest' },
    execArgv: ['--max-semi-space-size=64'],
    env: { CDK_VALIDATION: 'false' },
    // Two of the longest wait most of their time: for a lease to end, for a clock at a speed.
    maxWorkers: 3,
    sequence: { sequencer: longestFirst(LONGEST) },
    projects: [
      { extends: true, test: { name: 'long', include: ['test/long/**/*.test.ts'], exclude: WORLDS } },
      {
        extends: true,
        test: {
          name: 'beside the quick ones',
          include: ['test/**/*.long.test.ts', ...IN_FULL, ...WORLDS],
          // As `npm test` runs them: see vitest.config.ts.
          isolate: false,
          env: {
            OUTAGE_RECORDS: '20000',
            FUZZ_IN_MEMORY: '4000',
            FUZZ_SEED: process.env.FUZZ_SEED ?? '20000',
            ANY_ITEM_RUNS: '1000',
            GROUP_WORLDS: '300',
            ORDER_WORLDS: '150',
            ROUNDING_DRAWS: '1000',
            RETRY_AFTER_RUNS: '2000',
            BURSTS: '3',
          },
        },
      },
    ],
  },
});
