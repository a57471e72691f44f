import { isDeepStrictEqual } from 'node:util';
import { ConfigurationError } from 'dynamo-backlog';
import type { LocalApp, LocalFunction, LocalTable } from '../template/local-app.js';

/** See `appSource`. */
const SYNTHESIS = /[\\/]synthesis-\d+(?=[\\/])/g;

/**
 * An app as it was synthesized again, with all functions that are the same as before being the same objects: their
 * sandboxes go on.
 *
 * @param keepsCode whether the code of a function is newer than that of any synthesis
 */
export function carryOver(
  before: Pick<LocalApp, 'functions'>,
  after: LocalApp,
  keepsCode: (lambda: LocalFunction) => boolean,
): LocalApp {
  const functions = after.functions.map((lambda) => {
    const known = before.functions.find(({ name }) => name === lambda.name);
    if (!known) return lambda;
    const keeps = keepsCode(lambda) || (known.codeKey !== undefined && known.codeKey === lambda.codeKey);
    const { folder, codeKey } = keeps ? known : lambda;
    const present = { ...lambda, folder, codeKey };
    return isDeepStrictEqual(placeless(known), placeless(present)) ? known : present;
  });
  return { ...after, functions };
}

/** Returns a function without the folders of syntheses. Assets of equal names are equal in all of them. */
function placeless({ environment, ...lambda }: LocalFunction) {
  const values = Object.entries(environment).map(([name, value]) => [name, value.replaceAll(SYNTHESIS, '')]);
  return { ...lambda, environment: values.sort() };
}

/**
 * The records of a table stay where they are, so its keys and indexes have to stay as well.
 *
 * @throws ConfigurationError naming the table
 */
export function checkTables(made: readonly LocalTable[], after: readonly LocalTable[]): void {
  for (const table of after) {
    const known = made.find(({ name }) => name === table.name);
    if (!known) continue;
    const shapeOf = ({ keys, indexes, attributes }: LocalTable) => ({
      keys,
      indexes,
      attributes: attributes.toSorted((a, b) => a.name.localeCompare(b.name)),
    });
    if (isDeepStrictEqual(shapeOf(known), shapeOf(table))) continue;
    throw new ConfigurationError(
      `the table ${table.name}: expected the keys and indexes that it was made with, got others. The local runtime cannot change ` +
        'them: stop it, and start again with fresh tables (without --data-dir, or with another folder)',
    );
  }
}
