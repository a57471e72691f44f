import { defineConfig } from 'vitest/config';
import { UnfinishedFiles } from './test/unfinished-files.js';
import { SOURCES } from './vitest.sources.js';

/** It takes about a core by itself: what ran beside it would be measured, too. */
const ALONE = 'test/long/arrivals-pace.test.ts';

/** What `npm test` plays with less. */
const IN_FULL = [
  'test/schedules/outage.test.ts',
  'test/fuzz/in-memory.test.ts',
  'test/record/any-item.test.ts',
];

/** What takes minutes: `npm run test:long`. It runs the built package, so build first. */
export default defineConfig({
  resolve: { alias: SOURCES },
  test: {
    reporters: ['default', new UnfinishedFiles()],
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
          include: ['test/long/**/*.test.ts'],
          exclude: [ALONE],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'beside the quick ones',
          include: ['test/**/*.long.test.ts', ...IN_FULL],
          // As `npm test` runs them: see vitest.config.ts.
          isolate: false,
          execArgv: ['--max-semi-space-size=64'],
          env: {
            CDK_VALIDATION: 'false',
            OUTAGE_RECORDS: '20000',
            FUZZ_IN_MEMORY: '10000',
            FUZZ_SEED: process.env.FUZZ_SEED ?? '20000',
            ANY_ITEM_RUNS: '1000',
          },
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
