/**
 * Mutation tests of the pure folders: Stryker changes an operator, a condition or a number of the source at a time, and the tests of
 * the folder have to fail. What survives is a hole in the tests, or a change that has no effect. Takes minutes for each folder; the
 * packages are installed into test/mutation at the first run. Arguments are folders of src (policies, record, registry), and options
 * of Stryker: `npm run test:mutation -- policies --mutate src/policies/tiers.ts`.
 */
import { installPackages, runNode } from './own-packages.mjs';

const FOLDERS = ['policies', 'record', 'registry'];

const args = process.argv.slice(2);
const options = args.slice(
  FOLDERS.includes(args[0]) ? args.findLastIndex((arg) => FOLDERS.includes(arg)) + 1 : 0,
);
const named = args.slice(0, args.length - options.length);

installPackages('test/mutation', 'Stryker');
for (const folder of named.length > 0 ? named : FOLDERS) {
  process.env.MUTATED_FOLDER = folder;
  runNode([
    'test/mutation/node_modules/@stryker-mutator/core/bin/stryker.js',
    'run',
    'test/mutation/stryker.config.mjs',
    ...options,
  ]);
}
