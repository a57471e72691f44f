import { type BacklogOperatorOptions, ConfigurationError } from 'dynamo-backlog';
import { openGroups, type StoreTypes } from 'dynamo-backlog/engine';

/** The items of groups, with the read units that they have cost so far. */
export type GroupTables = ReturnType<typeof openGroups>;

/**
 * Opens the items of groups of a backlog.
 *
 * @throws ConfigurationError if its store has none
 */
export function openGroupItems(backlog: BacklogOperatorOptions): GroupTables {
  if (!backlog.store) return openGroups(backlog);
  const { groups } = backlog.store as { readonly groups?: StoreTypes.OperatorGroupStore };
  if (groups === undefined) throw new ConfigurationError('store: expected one with groups');
  return { groups, readUnits: () => 0 };
}
