/** Makes the pictures docs/images/console-*.png from the console itself, with records that are always the same. */
import { installPackages, runNode } from './own-packages.mjs';

installPackages('test/browser', 'a browser');
runNode(['--import', 'tsx', 'test/browser/screenshots.ts', ...process.argv.slice(2)]);
