/**
 * Part of the bundle of an `entry`, before everything else: stacks name places in TypeScript. `--enable-source-maps` of
 * Node.js reads the map at each cold start; this waits for the first stack that is looked at.
 */
import { stackTranslator } from './translate.js';

type Prepare = (error: Error, frames: NodeJS.CallSite[]) => unknown;

// A function that was started with the flag of Node.js does so already.
if (!process.sourceMapsEnabled) {
  const translate = stackTranslator(import.meta.url, process.env.BACKLOG_SOURCE_ROOT);
  // From Node.js 22 on there always is one.
  const before = Error.prepareStackTrace as Prepare | undefined;
  Error.prepareStackTrace = (error, frames) => {
    const stack = before ? before(error, frames) : plainStack(error, frames);
    return typeof stack === 'string' ? translate(stack) : stack;
  };
}

/** The text of a stack, as Node.js writes it. */
function plainStack(error: Error, frames: readonly NodeJS.CallSite[]): string {
  return [headOf(error), ...frames].join('\n    at ');
}

function headOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return '<error>';
  }
}
