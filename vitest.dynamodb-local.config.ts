import { defineConfig } from 'vitest/config';

/** Run by scripts/test-dynamodb-local.mjs, which starts DynamoDB Local. */
export default defineConfig({
  test: {
    globalSetup: 'test/temporary-folder.ts',
    include: ['test/dynamodb-local/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
