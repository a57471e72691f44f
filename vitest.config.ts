import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** The flag --exclude of vitest does not reach its projects: `LEFT_OUT='test/lab test/fuzz' npm test`. */
const LEFT_OUT = (process.env.LEFT_OUT ?? '')
  .split(' ')
  .flatMap((folder) => (folder ? [`${folder}/**`] : []));

export default defineConfig({
  test: {
    // Vitest leaves one core free; of two, that is half of them.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // No test depends on one before it: a failure prints the seed that plays its order again (--sequence.seed).
    sequence: { shuffle: { tests: true, files: false } },
    globalSetup: 'test/temporary-folder.ts',
    // The CDK's validator of templates takes ten seconds to begin with, in every process: test/long/own-template.test.ts.
    env: { CDK_VALIDATION: 'false' },
    projects: [
      {
        extends: true,
        test: {
          name: 'backlog',
          // Loading the SDK, zod and the command line again for each file would take a third of the time of all tests.
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/long/**',
            'test/dynamodb-local/**',
            'test/e2e/**',
            'test/package/**',
            'test/browser/**',
            'test/cdk/**',
            'test/cloudwatch/**',
            'test/monitoring/**',
            ...LEFT_OUT,
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'cdk',
          include: ['test/{cdk,cloudwatch,monitoring}/**/*.test.ts'],
          // Loading aws-cdk-lib again for each file would take twice the time of all tests in them.
          isolate: false,
        },
      },
    ],
  },
});
