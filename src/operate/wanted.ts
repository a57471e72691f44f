import { ConfigurationError } from '../support/errors.js';
import type { Action } from './actions.js';
import type { Which } from './options.js';
import type { Wanted } from './pages.js';
import { parseSelection } from './selection.js';

/**
 * Checks ids, or a selection, for an action.
 *
 * @throws ConfigurationError for an empty id, an invalid filter, a status that the action is not for, or none at all
 */
export function wantedOf(which: Which, statuses: Pick<Action, 'actsOn' | 'byDefault'>, name: string): Wanted {
  const ids = parseIds(which, name);
  return ids ? { ids } : { selected: parseSelection(which, statuses, name) };
}

/** Ids, or `undefined` if it is a selection. */
function parseIds(which: unknown, name: string): readonly string[] | undefined {
  const ids = typeof which === 'string' ? [which] : which;
  if (!Array.isArray(ids)) return undefined;
  if (ids.every((id) => typeof id === 'string' && id !== '')) return ids;
  throw new ConfigurationError(`${name}: expected ids that are not empty, got ${JSON.stringify(which)}`);
}
