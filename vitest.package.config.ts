import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { UnfinishedFiles } from './test/unfinished-files.js';

/** The package as others install it: `npm run test:package`. It packs again, and needs a registry of npm packages. */
export default defineConfig({
  test: {
    reporters: ['default', new UnfinishedFiles()],
    globalSetup: ['test/temporary-folder.ts', 'test/package/setup.ts'],
    include: ['test/package/*.test.ts'],
    // Vitest leaves one core free; of two, that is half of them.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
