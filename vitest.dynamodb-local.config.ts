import { defineConfig } from 'vitest/config';
import { UnfinishedFiles } from './test/unfinished-files.js';
import { SOURCES } from './vitest.sources.js';

/** Run by scripts/test-dynamodb-local.mjs, which starts DynamoDB Local. */
export default defineConfig({
  resolve: { alias: SOURCES },
  test: {
    reporters: ['default', new UnfinishedFiles()],
    globalSetup: 'test/temporary-folder.ts',
    include: [
      'test/dynamodb-local/**/*.test.ts',
      // The very tests that npm test runs in memory, or on an embedded DynamoDB.
      'test/store/{dynamodb,dynamodb-races,full-items,key-slots,permits,transactions}.test.ts',
      'test/client/hostile-values.test.ts',
      'test/worker/*.test.ts',
      'test/batches/{batches,limits}.test.ts',
      'test/functions/intake/*.test.ts',
    ],
    // Hundreds of records, for what the store has no part in: that would take minutes.
    exclude: [
      'test/worker/fairness.long.test.ts',
      'test/worker/{weights,overlapping-pages}.test.ts',
      // What these ask of a store is in the suite of stores.
      'test/worker/many-destinations.long.test.ts',
      'test/worker/{rate-limit,breaker,key-pace}.test.ts',
      // The memory that a run keeps, not the store.
      'test/worker/page-memory.test.ts',
    ],
    // DynamoDB Local leaves half of two cores idle while one worker waits for it.
    maxWorkers: 2,
    isolate: false,
    env: { KEY_SLOT_RACES: '4' },
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
