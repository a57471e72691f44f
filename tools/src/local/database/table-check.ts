import { ConfigurationError } from 'dynamo-backlog';
import type { KeyElement, TableShape } from '../../../../src/store/dynamodb/create-tables.js';
import type { TableFacts } from '../../../../src/store/dynamodb/inspect.js';

/**
 * Checks that a table that was there before is the one that the app means. Indexes beside those of the app do no harm.
 *
 * @param viewType that the table's stream must have for the app's functions, if they read it
 * @throws ConfigurationError naming what differs
 */
export function checkTable(
  expected: TableShape,
  found: Pick<TableFacts, 'keys' | 'indexes' | 'stream'>,
  viewType: string | undefined,
): void {
  const { name } = expected;
  const differs = (what: string, wanted: string, got: string) =>
    new ConfigurationError(
      `the table ${name} is there already: expected ${what} ${wanted}, got ${got}; remove it, or use another DynamoDB`,
    );
  if (keyText(expected.keys) !== foundText(found.keys)) {
    throw differs('the key', keyText(expected.keys), foundText(found.keys));
  }
  for (const index of expected.indexes) {
    const there = found.indexes.find((one) => one.name === index.name);
    const got = there ? foundText(there.keys) : 'no such index';
    if (keyText(index.keys) !== got) throw differs(`an index ${index.name} with`, keyText(index.keys), got);
  }
  if (viewType === undefined || tells(found.stream?.viewType, viewType)) return;
  throw differs('a stream of', viewType, found.stream?.viewType ?? 'none');
}

function tells(viewType: string | undefined, wanted: string): boolean {
  return viewType === wanted || (viewType === 'NEW_AND_OLD_IMAGES' && wanted !== 'KEYS_ONLY');
}

function keyText(keys: readonly KeyElement[]): string {
  return keys.map(({ name, type }) => `${name} (${type})`).join(', ');
}

function foundText(keys: TableFacts['keys']): string {
  return keyText(keys.map(({ name, role }) => ({ name, type: role })));
}
