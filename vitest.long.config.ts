import { defineConfig } from 'vitest/config';

/** What takes minutes: `npm run test:long`. It runs the built package, so build first. */
export default defineConfig({
  test: {
    globalSetup: 'test/temporary-folder.ts',
    include: ['test/long/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
