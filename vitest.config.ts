import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { UnfinishedFiles } from './test/unfinished-files.js';
import { SOURCES } from './vitest.sources.js';

/** `npm run test:long` runs them: what plays days, synthesizes hundreds of queues, or waits. */
const LONG = ['test/long/**', 'test/**/*.long.test.ts'];

export default defineConfig({
  resolve: { alias: SOURCES },
  test: {
    // Vitest leaves one core free; of two, that is half of them.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Transforming the sources takes six seconds. The cache knows a module by its content and this configuration.
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.cache/vitest' },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // No test depends on one before it: a failure prints the seed that plays its order again (--sequence.seed).
    sequence: { shuffle: { tests: true, files: false } },
    reporters: ['default', new UnfinishedFiles()],
    globalSetup: 'test/temporary-folder.ts',
    // The CDK's validator of templates takes ten seconds to begin with, in every process: test/long/own-template.test.ts.
    env: { CDK_VALIDATION: 'false' },
    // Tests make garbage by the megabyte: with the default of 16 MB, collecting it takes a tenth of their time.
    execArgv: ['--max-semi-space-size=64'],
    projects: [
      {
        extends: true,
        test: {
          name: 'backlog',
          // Loading the SDK, zod and the command line again for each file would take a third of the time of all tests.
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [
            ...LONG,
            'test/dynamodb-local/**',
            'test/e2e/**',
            'test/package/**',
            'test/browser/**',
            'test/cdk/**',
            'test/cloudwatch/**',
            'test/monitoring/**',
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'cdk',
          include: ['test/{cdk,cloudwatch,monitoring}/**/*.test.ts'],
          exclude: LONG,
          // Loading aws-cdk-lib again for each file would take twice the time of all tests in them.
          isolate: false,
        },
      },
    ],
  },
});
