import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConfigurationError } from '../../src/support/errors.js';

/** The bundles that `npm run build` makes: built-in delivery for each retry mode, and what is beside the queues. */
export type Bundle =
  | 'fibonacci'
  | 'progressive'
  | 'intake'
  | 'sweep'
  | 'monitor'
  | 'widget'
  | 'widget-actions';

/**
 * The folder of a bundle, whether this file runs compiled (below dist) or from source.
 *
 * @throws ConfigurationError if it has not been built
 */
export function handlerFolder(bundle: Bundle, base: string = import.meta.url): string {
  const folders = [`../../handlers/${bundle}`, `../../dist/handlers/${bundle}`].map((path) =>
    fileURLToPath(new URL(path, base)),
  );
  const found = folders.find((folder) => existsSync(`${folder}/index.mjs`));
  if (!found) {
    throw new ConfigurationError(
      `The built-in handler "${bundle}" is not there: run "npm run build" first (looked in ${folders.join(' and ')})`,
    );
  }
  return found;
}
