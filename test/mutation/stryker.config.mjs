const folder = process.env.MUTATED_FOLDER;

/** Small changes of a pure folder (mutants), each of which a test of that folder has to notice. */
export default {
  mutate: [`src/${folder}/**/*.ts`, '!src/**/index.ts'],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutation.config.ts' },
  coverageAnalysis: 'perTest',
  // A mutant of what a module does as it is loaded would take all tests.
  ignoreStatic: true,
  // Stryker reads it by an API that TypeScript 7 has not.
  tsconfigFile: 'absent.json',
  disableTypeChecks: false,
  concurrency: 1,
  // A busy machine is no endless loop.
  timeoutMS: 15_000,
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { logTests: false, reportTests: false },
  ignorePatterns: [
    '.*',
    'bench',
    'cdk',
    'dist',
    'docs',
    'examples',
    'functions',
    'test/browser',
    'test/mutation',
  ],
};
