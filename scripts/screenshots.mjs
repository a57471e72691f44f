/** Makes the pictures docs/images/console-*.png from the console itself, with records that are always the same. */
import { installBrowser, runNode } from './browser-packages.mjs';

installBrowser();
runNode(['--import', 'tsx', 'test/browser/screenshots.ts', ...process.argv.slice(2)]);
