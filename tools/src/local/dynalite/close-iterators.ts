import type { LevelDatabase } from './create.js';

/**
 * Closes an iterator of a database when dynalite is done with it. dynalite calls `return` then, which these iterators do not
 * have, so they stay open. An open one keeps the database as it was when it began. Without this patch each query keeps
 * a version of all items that change after it, in memory or in files that LevelDB cannot remove.
 */
export function closeIterators(database: LevelDatabase): void {
  const { keys, values } = database;
  for (const [name, list] of Object.entries({ keys, values })) {
    database[name as 'keys' | 'values'] = (options) => {
      const iterator = list.call(database, options);
      return Object.assign(iterator, { return: () => iterator.close() });
    };
  }
}
