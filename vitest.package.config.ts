import { defineConfig } from 'vitest/config';

/** The package as others install it: `npm run test:package`. It packs anew, and needs a registry of npm packages. */
export default defineConfig({
  test: {
    globalSetup: ['test/temporary-folder.ts', 'test/package/setup.ts'],
    include: ['test/package/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
