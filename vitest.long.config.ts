import { defineConfig } from 'vitest/config';

/** It takes about a core by itself: what ran beside it would be measured, too. */
const ALONE = 'test/long/arrivals-pace.test.ts';

/** What `npm test` plays with less. */
const IN_FULL = [
  'test/schedules/{outage,ticks,delayed}.test.ts',
  'test/worker/many-destinations.test.ts',
  'test/fuzz/in-memory.test.ts',
  'test/record/any-item.test.ts',
];

/** What takes minutes: `npm run test:long`. It runs the built package, so build first. */
export default defineConfig({
  test: {
    globalSetup: 'test/temporary-folder.ts',
    testTimeout: 300_000,
    hookTimeout: 60_000,
    // Two of the longest wait most of their time: for a lease to end, for a clock at a speed.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: 'alone', include: [ALONE], sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts', ...IN_FULL],
          env: {
            OUTAGE_RECORDS: '20000',
            PHASE_HOURS: '48',
            DELAY_DAYS: '30',
            MANY_DESTINATIONS: '500',
            FUZZ_IN_MEMORY: '20000',
            FUZZ_SEED: '20000',
            ANY_ITEM_RUNS: '1000',
          },
          exclude: [ALONE],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
