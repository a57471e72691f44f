import { defineConfig } from 'vitest/config';
import { UnfinishedFiles } from './test/unfinished-files.js';
import { SOURCES } from './vitest.sources.js';

/** Against the emulator that scripts/test-e2e.mjs starts: npm run test:e2e. */
export default defineConfig({
  resolve: { alias: SOURCES },
  test: {
    include: ['test/e2e/**/*.test.ts'],
    reporters: ['default', new UnfinishedFiles()],
    globalSetup: 'test/e2e/bootstrap.ts',
    // They mostly wait for rules: the two files deploy and wait at the same time.
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 240_000,
    // One deployment after the other: each test goes on from the one before.
    bail: 1,
  },
});
