import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { ConfigurationError } from '../../src/support/errors.js';

/** The folder of each built-in handler, as `npm run build` makes it: built-in delivery for each retry mode, recurring records, and what is beside the queues. */
const FOLDERS = {
  fibonacci: 'delivery',
  progressive: 'delivery',
  recurring: 'delivery',
  intake: 'upkeep',
  sweep: 'upkeep',
  monitor: 'upkeep',
  'record-events': 'upkeep',
  widget: 'upkeep',
  'widget-actions': 'upkeep',
  'completion-url': 'upkeep',
} as const;

export type BuiltIn = keyof typeof FOLDERS;

/**
 * The code of a built-in handler, whether this file runs compiled (below dist) or from source.
 *
 * @throws ConfigurationError if it has not been built
 */
export function builtIn(name: BuiltIn): { readonly code: Code; readonly handler: string } {
  const folders = [`../../handlers/${FOLDERS[name]}`, `../../dist/handlers/${FOLDERS[name]}`].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const found = folders.find((folder) => existsSync(`${folder}/${name}.mjs`));
  if (!found) {
    throw new ConfigurationError(
      `The built-in handler "${name}" is not there: run "npm run build" first (looked in ${folders.join(' and ')})`,
    );
  }
  return { code: Code.fromAsset(found), handler: `${name}.handler` };
}
