import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/long/**', 'test/dynamodb-local/**'],
    testTimeout: 20_000,
  },
});
