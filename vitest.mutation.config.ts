import { defineConfig } from 'vitest/config';
import { SOURCES } from './vitest.sources.js';

const folder = process.env.MUTATED_FOLDER ?? '*';

/** The tests that Stryker plays against each mutant of a folder of src: those of the folder of the same name in test. */
export default defineConfig({
  resolve: { alias: SOURCES },
  test: {
    include: [`test/${folder}/**/*.test.ts`],
    exclude: ['test/**/*.long.test.ts'],
    // The modules are loaded once for all mutants: which one is active is asked as the code runs.
    isolate: false,
    testTimeout: 60_000,
  },
});
