import { defineConfig } from 'vitest/config';
import { SOURCES } from './vitest.sources.js';

/** The console and pictures in a real browser: npm run test:browser, which installs what it needs. */
export default defineConfig({
  resolve: { alias: SOURCES },
  test: {
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/temporary-folder.ts', 'test/browser/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
    isolate: false,
  },
});
