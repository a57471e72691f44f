import { DUE_INDEX } from 'dynamo-backlog/engine';
import type { LocalFunction, LocalTable } from './local-app.js';

/**
 * The tables of records that functions work on and no stack makes. In the cloud they are there before the app; here
 * they begin empty.
 */
export function givenTables(
  functions: readonly LocalFunction[],
  made: readonly LocalTable[],
): readonly LocalTable[] {
  const known = new Set(made.map(({ name }) => name));
  const used = new Set(functions.flatMap(({ environment }) => environment.BACKLOG_TABLE ?? []));
  return [...used].filter((name) => !known.has(name)).map(recordsTable);
}

function recordsTable(name: string): LocalTable {
  return {
    name,
    logicalId: name,
    keys: [{ name: 'id', type: 'HASH' }],
    attributes: ['id', 'lane', 'dueAt'].map((attribute) => ({ name: attribute, type: 'S' })),
    indexes: [
      {
        name: DUE_INDEX,
        keys: [
          { name: 'lane', type: 'HASH' },
          { name: 'dueAt', type: 'RANGE' },
        ],
        projection: 'KEYS_ONLY',
      },
    ],
  };
}
