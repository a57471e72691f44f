/**
 * Runs the tests of test/browser: the console and pictures in Chromium, which comes as a package of that folder and is installed at
 * the first run. Its stories run the built package, so build first. Arguments are passed on to vitest.
 */
import { installPackages, runNode } from './own-packages.mjs';

installPackages('test/browser', 'a browser');
runNode(['node_modules/typescript/bin/tsc', '-p', 'test/browser/tsconfig.json']);
runNode([
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'vitest.browser.config.ts',
  ...process.argv.slice(2),
]);
